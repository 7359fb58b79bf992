import fc from "fast-check"
import t from "tap"
import * as viem from "viem"
import { type Abi as ViemAbi, toFunctionSelector, toFunctionSignature } from "viem"
import { readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import { eachFails, faultOf, partFaults, readsOrFaults } from "./faults.ts"
import { fill, growsInProportion } from "./growth.ts"
import { runsOf } from "../../../harness/long.ts"

const SEED = 20_261_121

const input = (type: unknown, name: unknown = "", more: object = {}) => ({ name, type, ...more })
const selectorOf = (signature: string) =>
  viem.keccak256(viem.stringToBytes(signature)).slice("0x".length, "0x".length + 8)
const fn = (name: unknown, ...inputs: unknown[]) => ({ type: "function", name, inputs })
const read = (abi: unknown) => readAbi(JSON.stringify(abi))
const signatures = (abi: unknown) => [...read(abi).functions.values()].map(({ signature }) => signature)

t.test("reads the functions of ERC-20 by their selectors", async (t) => {
  const { functions } = read(viem.erc20Abi)
  t.match(functions.get("a9059cbb"), {
    name: "transfer",
    signature: "transfer(address,uint256)",
    inputs: [
      { name: "recipient", type: { is: "address" } },
      { name: "amount", type: { is: "uint", bits: 256 } },
    ],
  })
  t.equal(functions.get("095ea7b3")?.signature, "approve(address,uint256)")
})

t.test("agrees with viem on every ABI that viem has", async (t) => {
  const abis = Object.entries(viem).filter(([name, value]) => name.endsWith("Abi") && Array.isArray(value))
  t.ok(abis.length >= 5)
  for (const [name, abi] of abis as [string, ViemAbi][]) {
    const expected = abi
      .filter((item) => item.type === "function")
      .map((item) => toFunctionSelector(item).slice(2))
    t.same([...read(abi).functions.keys()].toSorted(), expected.toSorted(), name)
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
    // No item is a function, an event or an error.
    [[null], "[0] must be an object"],
    [[[], { type: "method" }], "[0] must be an object"],
  ])
})

/** Items without a selector, with the end of the sentence about each. */
const UNKNOWN: readonly (readonly [unknown, string])[] = [
  [null, " must be an object"],
  [[], " must be an object"],
  ["function f()", " must be an object"],
  [{ type: "method" }, '.type is no kind of item of an ABI: "method"'],
  [{ type: 1 }, ".type must be a string"],
  [{ inputs: [] }, ".name is missing"],
  [fn(7), ".name must be a string"],
  [fn(""), '.name is no identifier of Solidity: ""'],
  [fn("a b"), '.name is no identifier of Solidity: "a b"'],
  [fn("ü"), '.name is no identifier of Solidity: "ü"'],
  [{ name: "f" }, ".inputs is missing"],
  [{ name: "f", inputs: {} }, ".inputs must be a list"],
  [fn("f", "uint"), ".inputs[0] must be an object"],
  [fn("f", { name: "a" }), ".inputs[0].type is missing"],
  [fn("f", input(256)), ".inputs[0].type must be a string"],
  [fn("f", input("tuple")), ".inputs[0].components must be the list of the tuple's members"],
  [fn("f", input("tuple", "", { components: [7] })), ".inputs[0].components[0] must be an object"],
]

const noType = (type: string) => [type, `is no type of the ABI: ${JSON.stringify(type)}`] as const
const noLength = (digits: string) => [`uint[${digits}]`, `has an invalid array length: "${digits}"`] as const

/** Types that nobody can read, with the end of the sentence about each. */
const UNREADABLE: readonly (readonly [string, string])[] = [
  ...["uint0", "uint7", "uint264", "uint08", "int1", "bytes0", "bytes33", "bytes01", "tuple2"].map(noType),
  ...["fixed8", "fixed7x2", "fixed8x0", "fixed8x81", "byte", "mapping(uint=>uint)"].map(noType),
  ...["uint[", "uint]", "", "Address", "address ", "Market.Side", "Market.Data storage"].map(noType),
  ...["0", "01", "4294967296"].map(noLength),
  [`uint${"[]".repeat(9)}`, "has more than 8 dimensions"],
  ["uint".padEnd(129, "x"), "has more than 128 characters"],
]

t.test("an unreadable item leaves every function as it is", async (t) => {
  for (const [item, why] of UNKNOWN) {
    const abi = read([item, fn("ok", input("bool", "a"))])
    t.match(abi.functions.get(selectorOf("ok(bool)")), { inputs: [{ name: "a", type: { is: "bool" } }] }, why)
    t.equal(abi.functions.size, 1, why)
    t.same(partFaults(abi), [`[0]${why}`])
  }
})

t.test("a function whose arguments cannot be read is known by its name and selector", async (t) => {
  for (const [type, why] of UNREADABLE) {
    const abi = read([fn("ok"), fn("f", input("uint", "a"), input(type, "b"))])
    const selector = selectorOf(`f(uint256,${type})`)
    t.match(abi.functions.get(selector), { name: "f", fault: { message: `[1].inputs[1].type ${why}` } }, type)
    t.same(partFaults(abi), [`[1].inputs[1].type ${why}`])
    t.match(abi.functions.get(selectorOf("ok()")), { inputs: [] }, type)
    const components = [input("uint", "x"), input(type, "y")]
    const nested = read([fn("f", input("tuple[2]", "t", { components }))])
    t.ok(nested.functions.has(selectorOf(`f((uint256,${type})[2])`)), `${type} in a tuple`)
    t.same(partFaults(nested), [`[0].inputs[0].components[1].type ${why}`])
  }
})

t.test("only its inputs make a function unreadable", async (t) => {
  const pay = fn("pay", input("address", "to"))
  const others: unknown[] = [
    { ...pay, outputs: null },
    { ...pay, outputs: "uint" },
    { ...pay, outputs: [input("uin"), input("uint", "out"), input("bool", "out")] },
    { ...pay, outputs: [input("tuple", "", { components: [] })] },
    { ...pay, stateMutability: null, constant: null, payable: null },
    { ...pay, stateMutability: "pay", gas: "7" },
    fn("pay", { ...input("address", "to"), internalType: null, indexed: 1 }),
    { ...pay, inputs: [{ type: "address", name: "to-whom" }] },
  ]
  const beside: unknown[] = [
    { type: "error", name: "Nope" },
    { type: "error", name: 5, inputs: [input("x")] },
    { type: "event" },
    { type: "event", name: "E", inputs: [input("uint", "a"), input("uint", "a")] },
    { type: "constructor", inputs: "none" },
    { type: "receive", inputs: 1 },
    { type: "fallback", name: 1 },
  ]
  for (const one of [...others.map((item) => [item]), ...beside.map((item) => [item, pay])]) {
    const abi = read(one)
    t.match(abi.functions.get(selectorOf("pay(address)")), {
      name: "pay",
      inputs: [{ type: { is: "address" } }],
    })
    t.same(partFaults(abi), [], JSON.stringify(one))
  }
})

t.test("a function that occurs twice is one; two functions of one selector are unreadable", async (t) => {
  const twice = read([fn("f", input("uint", "a")), fn("g"), fn("f", input("uint256", "b"))])
  t.match(twice.functions.get(selectorOf("f(uint256)")), { inputs: [{ name: "a" }] }, "the first one's names")
  t.same([twice.functions.size, partFaults(twice)], [2, []])
  const unreadable = fn("f", input("uin"))
  t.same(partFaults(read([unreadable, unreadable])), ['[0].inputs[0].type is no type of the ABI: "uin"'])
  // A known collision of two signatures.
  const [burn, other] = [fn("burn", input("uint256")), fn("collate_propagate_storage", input("bytes16"))]
  for (const list of [
    [burn, other, fn("ok")],
    [burn, other, burn, fn("ok")],
  ]) {
    const { functions } = read(list)
    t.match(functions.get("42966c68"), { name: undefined, fault: { message: /has the selector of/ } })
    t.match(functions.get(selectorOf("ok()")), { inputs: [] })
  }
})

t.test("parameters may have one name, or one that is no identifier", async (t) => {
  const inputs = [input("uint", "a"), input("bool", "a"), input("bytes", "to whom"), input("bool", null)]
  const [one] = read([fn("f", ...inputs)]).functions.values()
  t.match(one, { inputs: [{ name: "a" }, { name: "a" }, { name: "to whom" }, { name: "" }] })
  t.same(partFaults(read([fn("f", input("uint", "a".repeat(257)))])), [
    "[0].inputs[0].name has more than 256 characters",
  ])
  t.same(partFaults(read([fn("f", input("uint", 7))])), ["[0].inputs[0].name must be a string"])
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
      const [one] = [...read([item]).functions.values()]
      return (
        one?.signature === toFunctionSignature(item as never) &&
        `0x${one.selector}` === toFunctionSelector(item as never)
      )
    }),
    { seed: SEED, numRuns: runsOf(500) },
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
    { seed: SEED, numRuns: runsOf(3000) },
  )
  fc.assert(
    fc.property(fc.string(), (text) => readsOrFaults(readAbi, text)),
    { seed: SEED, numRuns: runsOf(1000) },
  )
  const good = JSON.stringify(viem.erc20Abi)
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.constantFrom("", "[", "]", '"', "0", "{", ","), (at, piece) =>
      readsOrFaults(readAbi, good.slice(0, at) + piece + good.slice(at + 1)),
    ),
    { seed: SEED, numRuns: runsOf(1000) },
  )
  t.pass()
})

t.test("the longest ABIs cost what their length costs", async (t) => {
  const deep = (depth: number): object =>
    depth === 0 ? input("uint") : input("tuple[]", "", { components: [deep(depth - 1)] })
  const unreadable = (depth: number): object =>
    depth === 0 ? input("uin") : input("tuple[]", "", { components: [unreadable(depth - 1)] })
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
      "unreadable functions": (length) => fill(length, list, (index) => fn(`f${index}`, input("uin"))),
      "deep unreadable functions": (length) => fill(length, list, (index) => fn(`f${index}`, unreadable(25))),
      "functions of one selector": (length) =>
        fill(length, list, (index) =>
          index % 2 === 0 ? fn("burn", input("uint256")) : fn("collate_propagate_storage", input("bytes16")),
        ),
      brackets: (length) => "[".repeat(length),
      quotes: (length) => `[${'"'.repeat(length - 1)}`,
    },
  )
})
