import t from "tap"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { typedDataOf } from "./typed-data.ts"

const FAULT = { name: "Fault", kind: "payload" }

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
    t.throws(() => hashTypedData(typedDataOf(type, value)), FAULT, `${type} ${JSON.stringify(value)}`)
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
  for (const type of types) t.throws(() => hashTypedData(typedDataOf(type, [])), FAULT, type)
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
    t.throws(() => hashTypedData(typedDataOf(name, {}, { [name]: [] })), FAULT, name)
    const payload = JSON.parse(typedDataOf("bool", true, { [name]: [] })) as object
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
  const good = JSON.parse(typedDataOf("bool", true)) as Record<string, unknown>
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
