import fc from "fast-check"
import t from "tap"
import * as viem from "viem"
import { type Abi as ViemAbi, toFunctionSelector, toFunctionSignature } from "viem"
import { readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import { eachFails, faultOf, readsOrFaults } from "./faults.ts"
import { fill, growsInProportion } from "./growth.ts"

const SEED = 20_261_121

const input = (type: unknown, name: unknown = "", more: object = {}) => ({ name, type, ...more })
const fn = (name: unknown, ...inputs: unknown[]) => ({ type: "function", name, inputs })
const signatures = (abi: unknown) =>
  [...readAbi(JSON.stringify(abi)).values()].map(({ signature }) => signature)

t.test("reads the functions of ERC-20 by their selectors", async (t) => {
  const abi = readAbi(JSON.stringify(viem.erc20Abi))
  t.match(abi.get("a9059cbb"), {
    name: "transfer",
    signature: "transfer(address,uint256)",
    inputs: [
      { name: "recipient", type: { is: "address" } },
      { name: "amount", type: { is: "uint", bits: 256 } },
    ],
  })
  t.equal(abi.get("095ea7b3")?.signature, "approve(address,uint256)")
})

t.test("agrees with viem on every ABI that viem has", async (t) => {
  const abis = Object.entries(viem).filter(([name, value]) => name.endsWith("Abi") && Array.isArray(value))
  t.ok(abis.length >= 5)
  for (const [name, abi] of abis as [string, ViemAbi][]) {
    const expected = abi
      .filter((item) => item.type === "function")
      .map((item) => toFunctionSelector(item).slice(2))
    t.same([...readAbi(JSON.stringify(abi)).keys()].toSorted(), expected.toSorted(), name)
  }
})

t.test("reads every type, and writes its one spelling", async (t) => {
  for (const [type, canonical] of [
    ["uint", "uint256"],
    ["int", "int256"],
    ["uint8", "uint8"],
    ["int248", "int248"],
    ["fixed", "fixed128x18"],
    ["ufixed8x80", "ufixed8x80"],
    ["bytes1", "bytes1"],
    ["bytes32", "bytes32"],
    ["bytes", "bytes"],
    ["string", "string"],
    ["bool", "bool"],
    ["function", "function"],
    ["address[]", "address[]"],
    ["uint[3][][2]", "uint256[3][][2]"],
  ])
    t.same(signatures([fn("f", input(type))]), [`f(${canonical})`])
  const pair = [input("uint", "a"), input("tuple[2]", "b", { components: [input("address")] })]
  t.same(signatures([fn("f", input("tuple[]", "", { components: pair }))]), ["f((uint256,(address)[2])[])"])
})

t.test("reads overloads, unnamed arguments, old and foreign members, and what is no function", async (t) => {
  const abi = [
    fn("f"),
    fn("f", input("uint")),
    { name: "g", inputs: [{ type: "bool" }], outputs: [input("bytes")], constant: true, gas: 1 },
    { type: "constructor", inputs: [input("address", "owner")] },
    { type: "constructor" },
    { type: "receive", stateMutability: "payable" },
    { type: "fallback" },
    { type: "event", name: "E", inputs: [input("uint", "a", { indexed: true })], anonymous: false },
    { type: "error", name: "F", inputs: [] },
  ]
  t.same(signatures(abi), ["f()", "f(uint256)", "g(bool)"])
  t.same(signatures([]), [])
})

t.test("says where an ABI is none, and why", async (t) => {
  const bad = (type: unknown) => [[fn("ok"), fn("f", input("bool", "a"), input(type, "b"))], type] as const
  const noType = (type: string) =>
    [bad(type)[0], `[1].inputs[1].type is no type of the ABI: ${JSON.stringify(type)}`] as const
  const noLength = (type: string, digits: string) =>
    [bad(type)[0], `[1].inputs[1].type has an invalid array length: "${digits}"`] as const
  eachFails(t, readAbi, [
    ["", "is no JSON: the JSON ends early (at position 0)"],
    ["[{]", "is no JSON: a member name is expected (at position 2)"],
    [
      '[{"type":"fallback","type":"receive"}]',
      "is no JSON: a member name occurs twice in one object (at position 20)",
    ],
    [{}, "must be a list of functions, events and errors"],
    [{ abi: [] }, 'must be a list of functions, events and errors: take the list under "abi"'],
    ["null", "must be a list of functions, events and errors"],
    [[null], "[0] must be an object"],
    [[[]], "[0] must be an object"],
    [[{ type: "method" }], '[0].type is no kind of item of an ABI: "method"'],
    [[{ type: 1 }], "[0].type must be a string"],
    [[{ inputs: [] }], "[0].name is missing"],
    [[fn(7)], "[0].name must be a string"],
    [[fn("")], '[0].name is no identifier of Solidity: ""'],
    [[fn("a b")], '[0].name is no identifier of Solidity: "a b"'],
    [[fn("ü")], '[0].name is no identifier of Solidity: "ü"'],
    [[{ name: "f" }], "[0].inputs is missing"],
    [[{ name: "f", inputs: {} }], "[0].inputs must be a list"],
    [[{ ...fn("f"), outputs: "uint" }], "[0].outputs must be a list"],
    [[{ ...fn("f"), outputs: [input("uin")] }], '[0].outputs[0].type is no type of the ABI: "uin"'],
    [
      [{ ...fn("f"), stateMutability: "pay" }],
      "[0].stateMutability must be pure, view, nonpayable or payable",
    ],
    [[fn("f", "uint")], "[0].inputs[0] must be an object"],
    [[fn("f", { name: "a" })], "[0].inputs[0].type is missing"],
    [[fn("f", input(256))], "[0].inputs[0].type must be a string"],
    [[fn("f", input("uint", "a-b"))], '[0].inputs[0].name is no identifier of Solidity: "a-b"'],
    [[fn("f", input("uint", "a"), input("uint", "a"))], '[0].inputs[1].name occurs twice: "a"'],
    ...[
      "uint0",
      "uint7",
      "uint264",
      "uint08",
      "int1",
      "bytes0",
      "bytes33",
      "bytes01",
      "Address",
      "address ",
      "tuple2",
    ].map(noType),
    ...[
      "fixed8",
      "fixed7x2",
      "fixed8x0",
      "fixed8x81",
      "byte",
      "mapping(uint=>uint)",
      "uint[",
      "uint]",
      "",
    ].map(noType),
    noLength("uint[0]", "0"),
    noLength("uint[01]", "01"),
    noLength("uint[4294967296]", "4294967296"),
    [bad(`uint${"[]".repeat(9)}`)[0], "[1].inputs[1].type has more than 8 dimensions"],
    [bad("uint".padEnd(129, "x"))[0], "[1].inputs[1].type has more than 128 characters"],
    [bad("tuple")[0], "[1].inputs[1].components must be the list of the tuple's members"],
    [
      [fn("f", input("tuple[]", "", { components: [] }))],
      "[0].inputs[0].components must be the list of the tuple's members",
    ],
    [
      [fn("f", input("tuple", "", { components: [input("bool", "x"), input("nope", "y")] }))],
      '[0].inputs[0].components[1].type is no type of the ABI: "nope"',
    ],
    [[fn("f"), fn("g"), fn("f")], '[2] occurs twice: "f()"'],
    [[fn("f", input("uint")), fn("f", input("uint256"))], '[1] occurs twice: "f(uint256)"'],
    // A known collision of two signatures.
    [
      [fn("burn", input("uint256")), fn("collate_propagate_storage", input("bytes16"))],
      '[1] has the selector of burn(uint256): "collate_propagate_storage(bytes16)"',
    ],
  ])
})

t.test("repeats only a piece of a long text", async (t) => {
  const sentence = faultOf(readAbi, [{ type: "x".repeat(10_000) }])
  t.match(sentence, /^\[0\]\.type is no kind of item of an ABI: "x{64}…"$/)
})

const name = fc.stringMatching(/^[A-Za-z_$][A-Za-z0-9_$]{0,12}$/)
const base = fc.oneof(
  fc.constantFrom("address", "bool", "string", "bytes", "uint256", "int8", "uint64", "bytes32", "bytes1"),
  fc.integer({ min: 1, max: 32 }).map((bytes) => `uint${bytes * 8}`),
)
const dimensions = fc.array(fc.constantFrom("", "1", "2", "31"), { maxLength: 3 })
const typed = fc.letrec<{ parameter: object; parameters: object[] }>((tie) => ({
  parameter: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(base, dimensions).map(([type, list]) => ({ type: type + list.map((n) => `[${n}]`).join("") })),
    fc.tuple(tie("parameters"), dimensions).map(([components, list]) => ({
      type: `tuple${list.map((n) => `[${n}]`).join("")}`,
      components,
    })),
  ),
  parameters: fc
    .array(tie("parameter"), { minLength: 1, maxLength: 4 })
    .map((list) => list.map((item, index) => ({ name: `p${index}`, ...item }))),
}))

t.test("agrees with viem on signature and selector of whatever function there may be", async (t) => {
  fc.assert(
    fc.property(name, typed.parameters, (functionName, inputs) => {
      const item = { type: "function", name: functionName, inputs, outputs: [], stateMutability: "view" }
      const [one] = [...readAbi(JSON.stringify([item])).values()]
      return (
        one?.signature === toFunctionSignature(item as never) &&
        `0x${one.selector}` === toFunctionSelector(item as never)
      )
    }),
    { seed: SEED, numRuns: 500 },
  )
  t.pass()
})

t.test("ends well or with a fault, whatever it is given", async (t) => {
  const keys = [
    "type",
    "name",
    "inputs",
    "outputs",
    "components",
    "stateMutability",
    "__proto__",
    "constructor",
  ]
  const words = ["function", "event", "tuple", "tuple[]", "uint256", "uint[2][]", "f", "", "receive"]
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium" },
      fc.constantFrom<unknown>(...words, null, 0, true),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(fc.array(json.value, { maxLength: 3 }), (value) =>
      readsOrFaults(readAbi, JSON.stringify(value)),
    ),
    { seed: SEED, numRuns: 3000 },
  )
  fc.assert(
    fc.property(fc.string(), (text) => readsOrFaults(readAbi, text)),
    { seed: SEED, numRuns: 1000 },
  )
  const good = JSON.stringify(viem.erc20Abi)
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.constantFrom("", "[", "]", '"', "0", "{", ","), (at, piece) =>
      readsOrFaults(readAbi, good.slice(0, at) + piece + good.slice(at + 1)),
    ),
    { seed: SEED, numRuns: 1000 },
  )
  t.pass()
})

t.test("the longest ABIs cost what their length costs", async (t) => {
  const deep = (depth: number): object =>
    depth === 0 ? input("uint") : input("tuple[]", "", { components: [deep(depth - 1)] })
  const list = ["[", "]"] as const
  const one = ['[{"type":"function","name":"f","inputs":[', "]}]"] as const
  growsInProportion(
    t,
    { module: "signer/core/contract-interface/abi.ts", name: "readAbi" },
    {
      functions: (length) => fill(length, list, (index) => ({ name: `f${index}`, inputs: [] })),
      "deep functions": (length) => fill(length, list, (index) => fn(`f${index}`, deep(25))),
      parameters: (length) => fill(length, one, () => ({ type: "uint" })),
      names: (length) => fill(length, one, (index) => input("uint", `p${index}`)),
      dimensions: (length) => fill(length, one, (index) => input("uint[][][][][][][][]", `p${index}`)),
      brackets: (length) => "[".repeat(length),
      quotes: (length) => `[${'"'.repeat(length - 1)}`,
    },
  )
})
