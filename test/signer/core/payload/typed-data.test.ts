import { keccak_256 } from "@noble/hashes/sha3.js"
import t from "tap"
import { hashTypedData as hashByViem } from "viem"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { ownVectors, publishedVectors } from "../../../harness/vectors.ts"
import { secretOf, toHex } from "../../enclave/keys/tools.ts"

const FAULT = { name: "PayloadFault" }

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

/** One struct T with one member `m` of the type, and a value for it. */
const one = (type: string, value: unknown, extra: Record<string, unknown> = {}) =>
  JSON.stringify({
    types: { T: [{ name: "m", type }], ...extra },
    primaryType: "T",
    domain: {},
    message: { m: value },
  })

t.test("takes every spelling of an integer to the same word", async (t) => {
  const digest = toHex(hashTypedData(one("uint16", 255)))
  for (const value of ["255", "0xff", "0x00FF"]) t.equal(toHex(hashTypedData(one("uint16", value))), digest)
  t.equal(toHex(hashTypedData(one("int8", -128))), toHex(hashTypedData(one("int8", "-0x80"))))
})

t.test("refuses values that do not fit their type", async (t) => {
  const misfits: [string, unknown][] = [
    ["uint8", 256],
    ["uint8", -1],
    ["int8", 128],
    ["int8", -129],
    ["uint256", (1n << 256n).toString()],
    ["uint256", ""],
    ["uint256", " 1"],
    ["uint256", "1e3"],
    ["uint256", "007"],
    ["uint256", "0x"],
    ["uint256", 1.5],
    ["uint256", true],
    ["uint256", null],
    ["uint256", ["1"]],
    ["uint256", "٣"],
    ["bool", 1],
    ["bool", "true"],
    ["string", 1],
    ["string", null],
    ["bytes", "11"],
    ["bytes", "0x1"],
    ["bytes", "0xzz"],
    ["bytes", [1]],
    ["bytes4", "0x112233"],
    ["bytes4", "0x1122334455"],
    ["address", "0x1234"],
    ["address", "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD82a"],
    ["address", 5],
    ["uint8[]", "1"],
    ["uint8[]", {}],
    ["uint8[2]", [1]],
    ["uint8[2]", [1, 2, 3]],
    ["uint8[][2]", [[1]]],
    ["uint8[2][]", [[1]]],
  ]
  for (const [type, value] of misfits) {
    t.throws(() => hashTypedData(one(type, value)), FAULT, `${type} ${JSON.stringify(value)}`)
  }
})

t.test("refuses types that EIP-712 does not define", async (t) => {
  const types = [
    "uint",
    "int",
    "byte",
    "bytes0",
    "bytes33",
    "bytes04",
    "uint7",
    "uint264",
    "uint08",
    "fixed128x18",
    "function",
    "address payable",
    "uint8[0]",
    "uint8[01]",
    "uint8[-1]",
    "uint8[",
    "uint8]",
    "[]",
    "",
    "T",
    "Missing",
    "EIP712Domain",
    "uint8 []",
    "constructor",
    "__proto__",
    `uint8${"[]".repeat(9)}`,
  ]
  for (const type of types) t.throws(() => hashTypedData(one(type, [])), FAULT, type)
  for (const name of [
    "uint256",
    "bytes",
    "bytes99",
    "string",
    "a b",
    "",
    "A(uint8 x)B",
    "A:B(uint8 x)",
    "A:B[]",
    "A:,B",
    "A:B ",
    "A-B",
    "x".repeat(4097),
  ]) {
    t.throws(() => hashTypedData(one(name, {}, { [name]: [] })), FAULT, name)
    const payload = JSON.parse(one("bool", true, { [name]: [] })) as object
    t.throws(() => hashTypedData(JSON.stringify({ ...payload, primaryType: name, message: {} })), FAULT)
  }
  for (const name of ["", "a,b", "a(b", "a)b", "a[b", "a\nb", "a\u00a0b", "a\u200bb", "x".repeat(4097)]) {
    const types = { T: [{ name, type: "bool" }] }
    t.throws(
      () => hashTypedData(JSON.stringify({ types, primaryType: "T", domain: {}, message: { [name]: true } })),
      FAULT,
    )
  }
})

t.test("refuses a document of another shape", async (t) => {
  const good = JSON.parse(one("bool", true)) as Record<string, unknown>
  t.ok(hashTypedData(JSON.stringify(good)))
  const changes: Record<string, unknown>[] = [
    { types: undefined },
    { types: [] },
    { types: { T: {} } },
    { types: { T: [{ name: "m" }] } },
    { types: { T: [{ name: "a,b", type: "bool" }] } },
    { primaryType: undefined },
    { primaryType: "U" },
    { primaryType: "constructor" },
    { domain: null },
    { domain: { chain: 1 } },
    { message: undefined },
    { message: null },
    { message: [] },
    { message: {} },
  ]
  for (const change of changes) {
    t.throws(() => hashTypedData(JSON.stringify({ ...good, ...change })), FAULT, JSON.stringify(change))
  }
})

t.test("leaves out what viem and MetaMask leave out", async (t) => {
  const good = JSON.parse(one("bool", true)) as Record<string, unknown>
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
    const digest = toHex(hashTypedData(one("uint8", 7)))
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
      t.equal(toHex(hashTypedData(one("uint8", 7, unused))), digest, JSON.stringify(unused).slice(0, 60))
    t.throws(() => hashTypedData(one("uint8", 7, { uint8: [] })), FAULT, "the message contains it")
  },
)

t.test("an integer of any size may be a JSON number, unless a double rounds it", async (t) => {
  const withNumber = (digits: string, type = "uint256") => one(type, "X").replace('"X"', digits)
  const exact = { "1000000000000000000": 10n ** 18n, "9007199254740992": 2n ** 53n, "1e+21": 10n ** 21n }
  for (const [digits, value] of Object.entries(exact)) {
    const payload = JSON.parse(withNumber(digits)) as { types: object }
    const described = { ...payload, types: { ...payload.types, EIP712Domain: [] } }
    const digest = toHex(hashTypedData(one("uint256", String(value))))
    t.equal(toHex(hashTypedData(withNumber(digits))), digest, digits)
    t.equal(hashByViem(described as never), `0x${digest}`)
    t.equal(
      toHex(hashTypedData(withNumber(`-${digits}`, "int256"))),
      toHex(hashTypedData(one("int256", String(-value)))),
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
  t.ok(hashTypedData(one("string", JSON.parse(`"${text}"`))))
  t.same(
    hashTypedData(withNumber("7").replace('"domain"', '"note":1000000000000000001,"domain"')),
    hashTypedData(one("uint256", 7)),
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

t.test("bounds types and members, so that no payload keeps the signer busy", async (t) => {
  const chain = Array.from({ length: 64 }, (_, i) => [
    `A${i}`,
    i === 63 ? [] : [{ name: "next", type: `A${i + 1}` }],
  ])
  t.throws(() => hashTypedData(one("A0", {}, Object.fromEntries(chain))), /more than 64 types/)
  const members = Array.from({ length: 512 }, (_, i) => ({ name: `m${i}`, type: "bool" }))
  t.throws(() => hashTypedData(one("A", {}, { A: members })), /more than 512 members/)
})

t.test("bounds values and blocks to hash, and nothing that a wallet signs comes near", async (t) => {
  const MOST = /more than 65536 values and blocks to hash/
  const many = (type: string, item: unknown, count: number) =>
    one(
      type,
      Array.from({ length: count }, () => item),
      { Empty: [] },
    )
  const tooMany = { "uint8[]": 0, "bool[]": true, "string[]": "", "uint8[][]": [], "Empty[]": {} }
  for (const [type, item] of Object.entries(tooMany))
    t.throws(() => hashTypedData(many(type, item, 60_000)), MOST, type)
  t.throws(() => hashTypedData(one("bytes", `0x${"00".repeat(5_000_000)}`)), MOST)
  t.doesNotThrow(() => hashTypedData(many("uint256[]", "1", 20_000)))
  t.doesNotThrow(() => hashTypedData(one("bytes", `0x${"00".repeat(500_000)}`)), "a whole body of bytes")
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
