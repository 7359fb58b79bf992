import fc from "fast-check"
import t from "tap"
import { readIdl } from "../../../signer/interface/idl.ts"
import { faultOf, readsOrFaults } from "./faults.ts"
import { field, idl, instruction, read, struct } from "./idls.ts"

const SEED = 20_261_121

t.test("finds each depth of a type, in whatever order it is met", async (t) => {
  const types = Array.from({ length: 12 }, (_, index) =>
    struct(`T${index}`, field("next", index < 11 ? { defined: `T${index + 1}` } : "u8")),
  )
  const deeper = Array.from({ length: 6 }, (_, index) =>
    struct(`D${index}`, field("next", { defined: index < 5 ? `D${index + 1}` : "T0" })),
  )
  const args = [field("a", { defined: "T0" }), field("b", { defined: "D0" })]
  t.match(faultOf(readIdl, idl([instruction("f", args)], [...types, ...deeper])), /more than 16/)
  t.match(faultOf(readIdl, idl([instruction("f", args.toReversed())], [...types, ...deeper])), /more than 16/)
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
    { seed: SEED, numRuns: 3000 },
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
    { seed: SEED, numRuns: 1000 },
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
        return read(idl([instruction("f", args)], types)).types.size === types.length
      },
    ),
    { seed: SEED, numRuns: 500 },
  )
  t.pass()
})

t.test("reads the largest IDLs within two seconds", async (t) => {
  const many = (count: number, make: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => make(index))
  // Each type holds the next one ten times: without a memory there would be 10^15 ways through them.
  const ladder = many(16, (index) =>
    struct(
      `T${index}`,
      ...many(10, (place) => field(`f${place}`, index < 15 ? { defined: `T${index + 1}` } : "u8")),
    ),
  )
  const texts = [
    JSON.stringify(idl(many(6_000, (index) => instruction(`f${index}`)))),
    JSON.stringify(idl([instruction("f", [field("a", { defined: "T0" })])], ladder)),
    JSON.stringify(
      idl(
        [
          instruction(
            "f",
            many(8_000, (index) => field(`a${index}`, { defined: "T0" })),
          ),
        ],
        ladder,
      ),
    ),
    JSON.stringify(
      idl(
        [],
        many(7_000, (index) => struct(`T${index}`)),
      ),
    ),
    `{"types":${"[".repeat(399_000)}`,
  ]
  for (const text of texts) {
    t.ok(text.length <= 400_000)
    const begun = performance.now()
    readsOrFaults(readIdl, text)
    t.ok(
      performance.now() - begun < 2000,
      `${text.slice(0, 40)}: ${Math.round(performance.now() - begun)} ms`,
    )
  }
})
