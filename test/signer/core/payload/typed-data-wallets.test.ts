import t from "tap"
import { hashTypedData as hashByViem } from "viem"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { toHex } from "../../enclave/keys/tools.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { typedDataOf } from "./typed-data.ts"

const FAULT = { name: "Fault", kind: "payload" }

t.test("takes every spelling of an integer to the same word", async (t) => {
  const digest = toHex(hashTypedData(typedDataOf("uint16", 255)))
  for (const value of ["255", "0xff", "0x00FF"])
    t.equal(toHex(hashTypedData(typedDataOf("uint16", value))), digest)
  t.equal(toHex(hashTypedData(typedDataOf("int8", -128))), toHex(hashTypedData(typedDataOf("int8", "-0x80"))))
})

t.test("leaves out what viem and MetaMask leave out", async (t) => {
  const good = JSON.parse(typedDataOf("bool", true)) as Record<string, unknown>
  const digest = hashTypedData(JSON.stringify(good))
  for (const change of [
    { extra: 1 },
    { domain: undefined },
    { types: { T: [{ name: "m", type: "bool", internalType: "bool" }] } },
    { message: { m: true, more: 5 } },
    { types: { ...(good["types"] as object), EIP712Domain: [] }, domain: { name: "x" } },
  ])
    t.same(hashTypedData(JSON.stringify({ ...good, ...change })), digest, JSON.stringify(change))
})

t.test(
  "types that neither domain nor message contain may be anything, as no digest covers them",
  async (t) => {
    const digest = toHex(hashTypedData(typedDataOf("uint8", 7)))
    const members = (length: number) => Array.from({ length }, (_, i) => ({ name: `m${i}`, type: "bool" }))
    for (const unused of [
      { A: [{ name: "a", type: "Nowhere" }] },
      { A: [{ name: "a,b", type: "uint256" }] },
      { A: [...members(1), ...members(1)] },
      { A: null },
      { "A-B": [] },
      { uint256: [] },
      { A: members(600) },
      Object.fromEntries(members(100).map(({ name }) => [name, []])),
    ])
      t.equal(
        toHex(hashTypedData(typedDataOf("uint8", 7, unused))),
        digest,
        JSON.stringify(unused).slice(0, 60),
      )
    t.throws(() => hashTypedData(typedDataOf("uint8", 7, { uint8: [] })), FAULT, "the message contains it")
  },
)

t.test("an integer of any size may be a JSON number, unless a double rounds it", async (t) => {
  const withNumber = (digits: string, type = "uint256") => typedDataOf(type, "X").replace('"X"', digits)
  const exact = { "1000000000000000000": 10n ** 18n, "9007199254740992": 2n ** 53n, "1e+21": 10n ** 21n }
  for (const [digits, value] of Object.entries(exact)) {
    const payload = JSON.parse(withNumber(digits)) as { types: object }
    const described = { ...payload, types: { ...payload.types, EIP712Domain: [] } }
    const digest = toHex(hashTypedData(typedDataOf("uint256", String(value))))
    t.equal(toHex(hashTypedData(withNumber(digits))), digest, digits)
    t.equal(hashByViem(described as never), `0x${digest}`)
    t.equal(
      toHex(hashTypedData(withNumber(`-${digits}`, "int256"))),
      toHex(hashTypedData(typedDataOf("int256", String(-value)))),
    )
  }
  for (const digits of [
    "9007199254740993",
    "-9007199254740993",
    "1000000000000000001",
    "1e23",
    "1e308",
    "1.5",
  ])
    for (const type of ["uint256", "int256", "string", "bytes"])
      t.throws(() => hashTypedData(withNumber(digits, type)), FAULT, digits)
  // A text is no number, and a member that no type lists is not read.
  const text = '\\" 9007199254740993 , 1000000000000000001'
  t.ok(hashTypedData(typedDataOf("string", JSON.parse(`"${text}"`))))
  t.same(
    hashTypedData(withNumber("7").replace('"domain"', '"note":1000000000000000001,"domain"')),
    hashTypedData(typedDataOf("uint256", 7)),
  )
})

t.test("typed data of a domain alone have the domain's digest", async (t) => {
  const domain = { name: "x", chainId: 1 }
  const EIP712Domain = [
    { name: "name", type: "string" },
    { name: "chainId", type: "uint256" },
  ]
  const payload = { types: { EIP712Domain }, primaryType: "EIP712Domain", domain }
  for (const message of [{}, { message: { name: "y" } }])
    t.equal(
      `0x${toHex(hashTypedData(JSON.stringify({ ...payload, ...message })))}`,
      hashByViem(payload as never),
    )
})

t.test("where viem and MetaMask differ, typed data are signed as viem reads them, or refused", async (t) => {
  type Reported = { name: string; payload: object; digest?: string }
  for (const { name, payload, digest } of ownVectors<{ typedData: Reported[] }>("reported").typedData) {
    const text = JSON.stringify(payload)
    if (digest === undefined) t.throws(() => hashTypedData(text), FAULT, name)
    else t.equal(`0x${toHex(hashTypedData(text))}`, digest, name)
  }
})

t.test("a struct may contain itself, and every value of it ends", async (t) => {
  const types = {
    Tree: [
      { name: "label", type: "string" },
      { name: "left", type: "Tree[]" },
      { name: "owner", type: "Owner" },
    ],
    Owner: [
      { name: "id", type: "uint8" },
      { name: "trees", type: "Tree[][]" },
    ],
  }
  const leaf = (label: string) => ({ label, left: [], owner: { id: 1, trees: [] } })
  const message = {
    ...leaf("a"),
    left: [leaf("b"), { ...leaf("c"), left: [leaf("d")] }],
    owner: { id: 2, trees: [[leaf("e")], []] },
  }
  const payload = { types, primaryType: "Tree", domain: {}, message }
  const described: object = { ...payload, types: { ...types, EIP712Domain: [] } }
  t.equal(`0x${toHex(hashTypedData(JSON.stringify(payload)))}`, hashByViem(described as never))
  const endless = { types: { Node: [{ name: "next", type: "Node" }] }, primaryType: "Node", domain: {} }
  let next: unknown = {}
  for (let depth = 0; depth < 40; depth++) next = { next }
  t.throws(() => hashTypedData(JSON.stringify({ ...endless, message: next })), /is missing/)
})

t.test(
  "names may be long, and those of members may have any signs that keep the encoding unambiguous",
  async (t) => {
    const long = "L".repeat(4096)
    for (const name of [long, "@type", "msg.value", "1", "ünï", "a:b", "$", "a-b", " a b"]) {
      const types = { [long]: [{ name, type: "uint8" }], "1x": [{ name, type: long }] }
      for (const [primaryType, message] of [
        [long, { [name]: 7 }],
        ["1x", { [name]: { [name]: 7 } }],
      ] as const) {
        const payload = { types, primaryType, domain: {}, message }
        t.equal(
          `0x${toHex(hashTypedData(JSON.stringify(payload)))}`,
          hashByViem(payload as never),
          name.slice(0, 9),
        )
      }
    }
  },
)
