import { TypedDataEncoder } from "ethers"
import t from "tap"
import { hashTypedData as hashByViem } from "viem"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { toHex } from "../../enclave/keys/tools.ts"

type Types = { [struct: string]: { name: string; type: string }[] }
type Case = [what: string, types: Types, primaryType: string, message: { [member: string]: unknown }]

const domain = {
  name: "HyperliquidSignTransaction",
  version: "1",
  chainId: 42161,
  verifyingContract: "0x0000000000000000000000000000000000000000",
} as const

const digestOf = (types: Types, primaryType: string, message: object) =>
  `0x${toHex(hashTypedData(JSON.stringify({ types, primaryType, domain, message })))}`

const APPROVAL = "HyperliquidTransaction:ApproveAgent"
const CASES: readonly Case[] = [
  [
    "Hyperliquid's approval of an agent",
    {
      [APPROVAL]: [
        { name: "hyperliquidChain", type: "string" },
        { name: "agentAddress", type: "address" },
        { name: "agentName", type: "string" },
        { name: "nonce", type: "uint64" },
      ],
    },
    APPROVAL,
    {
      hyperliquidChain: "Mainnet",
      agentAddress: domain.verifyingContract,
      agentName: "a",
      nonce: 1716531066415,
    },
  ],
  [
    "a struct within a struct",
    { Batch: [{ name: "first", type: "A:B" }], "A:B": [{ name: "y", type: "uint8" }] },
    "Batch",
    { first: { y: 1 } },
  ],
  [
    "a list of structs, beside one whose name is the part before the colon",
    {
      "X:Batch": [
        { name: "list", type: "A:B[]" },
        { name: "one", type: "A" },
      ],
      "A:B": [{ name: "y", type: "uint8" }],
      A: [{ name: "z", type: "bool" }],
    },
    "X:Batch",
    { list: [{ y: 1 }, { y: 2 }], one: { z: true } },
  ],
  ["colons alone", { ":": [{ name: "x", type: "uint8" }] }, ":", { x: 1 }],
]

for (const [what, types, primaryType, message] of CASES) {
  t.test(`struct names with a colon have the digest of ethers and viem: ${what}`, async (t) => {
    const digest = digestOf(types, primaryType, message)
    t.equal(digest, TypedDataEncoder.hash(domain, types, message), "ethers")
    t.equal(digest, hashByViem({ domain, types, primaryType, message }), "viem")
  })
}

t.test("payloads of two types have two digests, wherever the colon stands", async (t) => {
  const member = (type: string) => [{ name: "x", type }]
  const types: [Types, string][] = ["A:B", "AB", "A:", ":A", "A::B", "A:B:"].flatMap((name) => [
    [{ [name]: member("uint8") }, name],
    [{ Of: member(name), [name]: member("uint8") }, "Of"],
  ])
  const digests = types.map(([all, primary]) =>
    digestOf(all, primary, { x: primary === "Of" ? { x: 1 } : 1 }),
  )
  t.equal(new Set(digests).size, digests.length)
})
