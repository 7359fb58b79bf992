import fc from "fast-check"
import t from "tap"
import { readIdl } from "../../../../signer/core/contract-interface/idl.ts"
import { isUnreadable } from "../../../../signer/core/contract-interface/fault.ts"
import { partFaults, readsOrFaults } from "./faults.ts"
import { fill, growsInProportion } from "./growth.ts"
import { field, idl, instruction, read, struct } from "./idls.ts"
import { runsOf } from "../../../harness/long.ts"

const SEED = 20_261_121

t.test("finds each depth of a type, in whatever order it is met", async (t) => {
  const types = Array.from({ length: 12 }, (_, index) =>
    struct(`T${index}`, field("next", index < 11 ? { defined: `T${index + 1}` } : "u8")),
  )
  const deeper = Array.from({ length: 6 }, (_, index) =>
    struct(`D${index}`, field("next", { defined: index < 5 ? `D${index + 1}` : "T0" })),
  )
  const args = [field("a", { defined: "T0" }), field("b", { defined: "D0" })]
  for (const list of [args, args.toReversed()])
    t.match(partFaults(read(idl([instruction("f", list)], [...types, ...deeper]))), [/more than 16/])
  // A type that is too deep for one instruction is readable for another, in any order.
  const [shallow, deep] = [instruction("shallow", [args[0]]), instruction("deep", [args[1]])]
  for (const list of [
    [shallow, deep],
    [deep, shallow],
  ]) {
    const { instructions } = read(idl(list, [...types, ...deeper]))
    const isBad = new Map(instructions.map((one) => [one.name, isUnreadable(one)]))
    t.same([isBad.get("shallow"), isBad.get("deep")], [false, true])
  }
})

t.test("ends well or with a fault, whatever it is given", async (t) => {
  const keys = [
    "instructions",
    "types",
    "name",
    "type",
    "kind",
    "fields",
    "variants",
    "args",
    "accounts",
    "vec",
  ]
  const more = ["option", "array", "defined", "value", "discriminator", "__proto__", "generics"]
  const words = ["struct", "enum", "alias", "u8", "publicKey", "f", "T", ""]
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium" },
      fc.constantFrom<unknown>(...words, null, 0, 1, true),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys, ...more), tie("value"), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(fc.array(json.value), fc.array(json.value), (instructions, types) =>
      readsOrFaults(readIdl, JSON.stringify({ instructions, types })),
    ),
    { seed: SEED, numRuns: runsOf(3000) },
  )
  const good = JSON.stringify(
    idl(
      [instruction("f", [field("a", { vec: { defined: "T" } })])],
      [struct("T", field("b", { array: ["u8", 3] }))],
    ),
  )
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.constantFrom("", "[", "]", '"', "0", "{", ","), (at, piece) =>
      readsOrFaults(readIdl, good.slice(0, at) + piece + good.slice(at + 1)),
    ),
    { seed: SEED, numRuns: runsOf(1000) },
  )
  t.pass()
})

t.test("reads whatever types lie in one another without a circle", async (t) => {
  const scalar = fc.constantFrom("bool", "u8", "i64", "u128", "f64", "string", "bytes", "publicKey")
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(scalar, fc.nat(), fc.nat(3)), { maxLength: 5 }), { maxLength: 10 }),
      (plans) => {
        // A type leads only to types before it, so that there is no circle.
        const types = plans.map((plan, index) =>
          struct(
            `T${index}`,
            ...plan.map(([type, target, way], position) => {
              const inner = index > 0 && way > 0 ? { defined: `T${target % index}` } : type
              return field(
                `f${position}`,
                way === 2 ? { vec: inner } : way === 3 ? { array: [inner, 2] } : inner,
              )
            }),
          ),
        )
        const args = types.map(({ name }) => field(String(name), { defined: name }))
        const value = read(idl([instruction("f", args)], types))
        return value.types.size === types.length && partFaults(value).length === 0
      },
    ),
    { seed: SEED, numRuns: runsOf(500) },
  )
  t.pass()
})

t.test("the longest IDLs cost what their length costs", async (t) => {
  const many = (count: number, make: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => make(index))
  // Each type holds the next one ten times: without a memory there would be 10^15 ways through them.
  const ladder = many(16, (index) =>
    struct(
      `T${index}`,
      ...many(10, (place) => field(`f${place}`, index < 15 ? { defined: `T${index + 1}` } : "u8")),
    ),
  )
  // A wide type that is met a step deeper each time.
  const rungs = many(14, (index) =>
    struct(`R${index}`, field("next", { defined: index < 13 ? `R${index + 1}` : "W" })),
  )
  const downwards = many(14, (index) => field(`a${index}`, { defined: `R${13 - index}` }))
  const around = (
    instructions: object[],
    types: object[],
    place: "args" | "types" | "fields" | "instructions",
  ) => {
    const [begin, end] = JSON.stringify(idl(instructions, types)).split(`"${place}":[{"here":0}`)
    return [`${begin}"${place}":[`, end ?? ""] as const
  }
  const here = { here: 0 }
  growsInProportion(
    t,
    { module: "signer/core/contract-interface/idl.ts", name: "readIdl" },
    {
      instructions: (length) =>
        fill(length, around([here], [], "instructions"), (index) => instruction(`f${index}`)),
      arguments: (length) =>
        fill(length, around([instruction("f", [here])], ladder, "args"), (index) =>
          field(`a${index}`, { defined: "T0" }),
        ),
      types: (length) => fill(length, around([], [here], "types"), (index) => struct(`T${index}`)),
      "fields met at every depth": (length) =>
        fill(
          length,
          around([instruction("f", downwards)], [...rungs, struct("L"), struct("W", here)], "fields"),
          (index) => field(`f${index}`, { defined: "L" }),
        ),
      "unreadable instructions": (length) =>
        fill(length, around([here], [struct("A", field("a", { defined: "A" }))], "instructions"), (index) =>
          instruction(`f${index}`, [field("a", { defined: "A" })]),
        ),
      "unreadable ladders": (length) =>
        fill(
          length,
          around([here], [...ladder.slice(0, -1), struct("T15", field("a", "u9"))], "instructions"),
          (index) => instruction(`f${index}`, [field("a", { defined: `T${15 - (index % 16)}` })]),
        ),
      "the same instruction": (length) =>
        fill(length, around([here], [], "instructions"), () => instruction("f")),
      "the same type": (length) => fill(length, around([], [here], "types"), () => struct("T")),
      brackets: (length) => `{"types":${"[".repeat(length - 9)}`,
    },
  )
})
