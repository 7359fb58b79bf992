// Raw signatures of the running system, asked for by a published client, read by ethers as its own.
import * as ethers from "ethers"
import t from "tap"
import { wallet } from "../e2e/wallets.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { sdkOf } from "./published.ts"

const NO_OP = "HASH_FUNCTION_NO_OP"

t.test("ethers recovers the address from a published client's signature of", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const sdk = sdkOf(system, acme.organizationId, acme.root)
  const signWith = await wallet(system, acme, "First")
  // As published accounts for ethers read a signature.
  const readAsEthers = ({ r, s, v }: { r: string; s: string; v: string }) =>
    ethers.Signature.from({ r: `0x${r}`, s: `0x${s}`, v: Number.parseInt(v, 10) + 27 })

  t.test("a digest", async (t) => {
    const digest = ethers.id("a digest")
    const signed = await sdk.signRawPayload({
      signWith,
      payload: digest,
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: NO_OP,
    })
    t.equal(ethers.recoverAddress(digest, readAsEthers(signed)), signWith)
    t.not(ethers.recoverAddress(ethers.id("another"), readAsEthers(signed)), signWith)
  })

  t.test("a text that the signer hashes", async (t) => {
    const payload = "Zoë 😀"
    for (const [hashFunction, hash] of [
      ["HASH_FUNCTION_KECCAK256", ethers.keccak256],
      ["HASH_FUNCTION_SHA256", ethers.sha256],
    ] as const) {
      const encoding = "PAYLOAD_ENCODING_TEXT_UTF8"
      const signed = await sdk.signRawPayload({ signWith, payload, encoding, hashFunction })
      t.equal(ethers.recoverAddress(hash(ethers.toUtf8Bytes(payload)), readAsEthers(signed)), signWith)
    }
  })

  t.test("several digests in one request", async (t) => {
    // Both parities, and leading zeros of r and s, come up among so many.
    const payloads = Array.from({ length: 100 }, (_, number) => ethers.id(`payload ${number}`))
    const { signatures = [] } = await sdk.signRawPayloads({
      signWith,
      payloads,
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: NO_OP,
    })
    t.same(
      signatures.map((signature, index) => ethers.recoverAddress(payloads[index]!, readAsEthers(signature))),
      payloads.map(() => signWith),
    )
    t.same(new Set(signatures.map(({ v }) => v)), new Set(["00", "01"]))
  })

  t.test(
    "typed data as ethers writes it, with hexadecimal chain id and addresses in lower case",
    async (t) => {
      const domain = {
        name: "Mail",
        chainId: 137,
        verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
      }
      const types = {
        Mail: [
          { name: "to", type: "address" },
          { name: "value", type: "uint256" },
        ],
      }
      const value = { to: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826", value: 2n ** 255n }
      const payload = ethers.TypedDataEncoder.getPayload(domain, types, value)
      t.match(payload, {
        domain: { chainId: "0x89", verifyingContract: domain.verifyingContract.toLowerCase() },
      })
      const signed = await sdk.signRawPayload({
        signWith,
        payload: JSON.stringify(payload),
        encoding: "PAYLOAD_ENCODING_EIP712",
        hashFunction: NO_OP,
      })
      const signature = readAsEthers(signed).serialized
      t.equal(ethers.verifyTypedData(domain, types, value, signature), signWith)
      t.not(ethers.verifyTypedData(domain, types, { ...value, value: 1n }, signature), signWith)
    },
  )
})
