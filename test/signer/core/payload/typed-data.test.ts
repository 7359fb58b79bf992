import { keccak_256 } from "@noble/hashes/sha3.js"
import t from "tap"
import { hashTypedData as hashByViem } from "viem"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { ownVectors, publishedVectors } from "../../../harness/vectors.ts"
import { secretOf, toHex } from "../../enclave/keys/tools.ts"

const FAULT = { name: "Fault", kind: "payload" }

type Signed = {
  name: string
  privateKey: string
  viem: string
  ethers: string
  digest: string
  r: string
  s: string
  v: string
}
type Own = {
  signed: Signed[]
  /** `digest`: by viem and by MetaMask's eth-sig-util, V4. */
  agreed: { name: string; payload: object; digest: string }[]
  accepted: { name: string; payload: string }[]
  refused: { name: string; payload: string }[]
}
const own = ownVectors<Own>("typed-data")

for (const { name, privateKey, viem, ethers, digest, r, s, v } of own.signed) {
  t.test(`returns digest and signature of the vector: ${name}`, async (t) => {
    t.equal(toHex(hashTypedData(viem)), digest)
    t.equal(toHex(hashTypedData(ethers)), digest)
    const key = new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(privateKey) })
    t.strictSame(key.sign({ digest: hashTypedData(viem) }), { r, s, v })
  })
}

for (const { name, payload, digest } of own.agreed) {
  t.test(`returns the digest on which viem and MetaMask agree: ${name}`, async (t) => {
    t.equal(`0x${toHex(hashTypedData(JSON.stringify(payload)))}`, digest)
    t.equal(hashByViem(payload as never), digest)
  })
}

t.test("refuses the malformed payloads of our vectors", async (t) => {
  for (const { name, payload } of own.refused) t.throws(() => hashTypedData(payload), FAULT, name)
})

t.test("a member that the type has not changes nothing", async (t) => {
  for (const { name, payload } of own.accepted) {
    const without = payload.replace(/,"extra":"x"/, "")
    t.not(without, payload, name)
    t.equal(toHex(hashTypedData(payload)), toHex(hashTypedData(without)))
  }
})

type Published = {
  name: string
  domain: object
  primaryType: string
  types: object
  data: object
  digest: string
  privateKey?: string
  signature?: string
}[]
const ethers = publishedVectors<Published>("ethers/typed-data.json")

t.test("returns the digests of the published typed data of ethers", ethers.options, async (t) => {
  const cases = ethers.read()
  t.equal(cases.length, 104)
  for (const { name, domain, primaryType, types, data, digest, privateKey, signature } of cases) {
    const made = hashTypedData(JSON.stringify({ domain, primaryType, types, message: data }))
    t.equal(`0x${toHex(made)}`, digest, name)
    if (privateKey === undefined) continue
    const { r, s, v } = keyOf(privateKey.slice(2)).sign({ digest: made })
    t.equal(`0x${r}${s}${v === "00" ? "1b" : "1c"}`, signature, name)
  }
})

type Mail = {
  typedData: object
  privateKeyIsKeccak256Of: string
  digest: string
  v: number
  r: string
  s: string
}
const mail = publishedVectors<Mail[]>("eip-712/mail.json")

t.test("returns digest and signature of the mail that EIP-712 itself prints", mail.options, async (t) => {
  const cases = mail.read()
  t.equal(cases.length, 1)
  for (const { typedData, privateKeyIsKeccak256Of, digest, v, r, s } of cases) {
    const made = hashTypedData(JSON.stringify(typedData))
    t.equal(`0x${toHex(made)}`, digest)
    const key = keyOf(toHex(keccak_256(Buffer.from(privateKeyIsKeccak256Of))))
    t.strictSame(key.sign({ digest: made }), { r: r.slice(2), s: s.slice(2), v: v === 27 ? "00" : "01" })
  }
})

function keyOf(privateKey: string): SigningKey {
  return new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(privateKey) })
}
