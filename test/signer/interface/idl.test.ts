import { createHash } from "node:crypto"
import fc from "fast-check"
import t from "tap"
import { anchorDiscriminator, readIdl } from "../../../signer/interface/idl.ts"
import { eachFails, faultOf, readsOrFaults } from "./faults.ts"

const SEED = 20_261_121

const field = (name: unknown, type: unknown) => ({ name, type })
const instruction = (name: unknown, args: unknown = [], more: object = {}) => ({
  name,
  accounts: [],
  args,
  ...more,
})
const idl = (instructions: unknown, types: unknown = []) => ({
  version: "0.1.0",
  name: "p",
  instructions,
  types,
})
const struct = (name: unknown, ...fields: unknown[]) => ({ name, type: { kind: "struct", fields } })
const read = (value: unknown) => readIdl(JSON.stringify(value))

t.test("reads an IDL as Anchor wrote it before 0.30", async (t) => {
  const accounts = [
    { name: "payer", isMut: true, isSigner: true },
    {
      name: "vault",
      accounts: [
        { name: "mint", isMut: false, isSigner: false },
        { name: "owner", isOptional: true },
      ],
    },
  ]
  const args = [field("amount", "u64"), field("route", { vec: { defined: "Step" } })]
  const variants = [
    { name: "Idle" },
    { name: "Swap", fields: [field("rate", { option: "f64" }), field("to", "publicKey")] },
    { name: "Pair", fields: ["u8", { array: ["i128", 2] }] },
  ]
  const types = [
    { name: "Step", type: { kind: "enum", variants } },
    { name: "Id", type: { kind: "alias", value: "u16" } },
  ]
  const { instructions, types: defined } = read(idl([instruction("swapExactIn", args, { accounts })], types))
  t.match(instructions, [
    {
      name: "swapExactIn",
      accounts: ["payer", "mint", "owner"],
      args: [
        { name: "amount", type: { is: "integer", bits: 64, signed: false } },
        { name: "route", type: { is: "vec", of: { is: "defined", name: "Step" } } },
      ],
    },
  ])
  const hash = createHash("sha256").update("global:swap_exact_in").digest()
  t.same(Buffer.from(instructions[0]!.discriminator), hash.subarray(0, 8))
  t.match(defined.get("Step")?.shape, {
    is: "enum",
    variants: [
      { name: "Idle", fields: [] },
      {
        name: "Swap",
        fields: [{ name: "rate", type: { is: "option", of: { is: "float", bits: 64 } } }, { name: "to" }],
      },
      {
        name: "Pair",
        fields: [
          { name: "0" },
          { name: "1", type: { is: "array", length: 2, of: { bits: 128, signed: true } } },
        ],
      },
    ],
  })
  t.match(defined.get("Id")?.shape, { is: "alias", of: { bits: 16 } })
})

t.test("reads an IDL as Anchor writes it since 0.30", async (t) => {
  const value = {
    address: "11111111111111111111111111111111",
    metadata: { name: "p", version: "0.1.0", spec: "0.1.0" },
    instructions: [
      instruction("initialize", [field("config", { defined: { name: "Config" } })], {
        discriminator: [1, 2, 255],
        accounts: [{ name: "payer", writable: true, signer: true, pda: { seeds: [] } }],
      }),
    ],
    accounts: [{ name: "State", discriminator: [1] }],
    types: [
      struct("Config", field("owner", "pubkey")),
      { name: "Alias", type: { kind: "type", alias: { defined: { name: "Config", generics: [] } } } },
      { name: "Unit", type: { kind: "struct" } },
      { ...struct("State", field("key", "pubkey")), serialization: "bytemuck", repr: { kind: "c" } },
    ],
  }
  const { instructions, types } = read(value)
  t.same([...instructions[0]!.discriminator], [1, 2, 255])
  t.match(types.get("Config")?.shape, { fields: [{ name: "owner", type: { is: "publicKey" } }] })
})

t.test("reads every type", async (t) => {
  const names = ["bool", "bytes", "string", "publicKey", "pubkey", "f32", "f64"]
  for (const letter of ["i", "u"]) for (const bits of [8, 16, 32, 64, 128]) names.push(`${letter}${bits}`)
  for (const type of [
    ...names,
    { vec: "u8" },
    { option: { vec: "bool" } },
    { array: [{ array: ["u8", 0] }, 65_535] },
  ])
    t.equal(read(idl([instruction("f", [field("a", type)])])).instructions[0]?.args.length, 1)
})

t.test("makes the discriminators that Anchor makes", async (t) => {
  // As programs in use have them.
  t.equal(Buffer.from(anchorDiscriminator("initialize")).toString("hex"), "afaf6d1f0d989bed")
  t.equal(Buffer.from(anchorDiscriminator("swap")).toString("hex"), "f8c69e91e17587c8")
  t.equal(Buffer.from(anchorDiscriminator("swapV2")).toString("hex"), "2b04ed0b1ac91e62")
})

t.test("says where an IDL is none, and why", async (t) => {
  const arg = (type: unknown, ...types: unknown[]) => idl([instruction("f", [field("a", type)])], types)
  const at = "instructions[0].args[0].type"
  const chain = (length: number, last: unknown) =>
    Array.from({ length }, (_, index) =>
      struct(`T${index}`, field("next", index + 1 < length ? { defined: `T${index + 1}` } : last)),
    )
  const enumOf = (variants: unknown) => arg("u8", { name: "E", type: { kind: "enum", variants } })
  eachFails(t, readIdl, [
    ["", "is no JSON: the JSON ends early (at position 0)"],
    [[], "must be an object"],
    [{ instructions: [] }, "types is missing"],
    [{ types: [] }, "instructions is missing"],
    [{ types: {}, instructions: [] }, "types must be a list"],
    [idl([null]), "instructions[0] must be an object"],
    [idl([{}]), "instructions[0].name is missing"],
    [idl([instruction("")]), "instructions[0].name must have 1 to 256 characters"],
    [idl([instruction(1)]), "instructions[0].name must be a string"],
    [idl([{ name: "f", args: [] }]), "instructions[0].accounts is missing"],
    [idl([{ name: "f", accounts: [] }]), "instructions[0].args is missing"],
    [idl([instruction("f", [], { accounts: ["a"] })]), "instructions[0].accounts[0] must be an object"],
    [
      idl([instruction("f", [], { accounts: [{ name: "a", isMut: "yes" }] })]),
      "instructions[0].accounts[0].isMut must be true or false",
    ],
    [
      idl([instruction("f", [], { accounts: [{ name: "a" }, { name: "g", accounts: [{ name: "a" }] }] })]),
      'instructions[0].accounts is there twice: "a"',
    ],
    [
      idl([instruction("f", [field("a", "u8"), field("a", "u8")])]),
      'instructions[0].args[1].name is there twice: "a"',
    ],
    [idl([instruction("f"), instruction("f")]), 'instructions[1].name is there twice: "f"'],
    ...[[], [256], [1.5], [-1], "01", Array(33).fill(0)].map(
      (discriminator) =>
        [
          idl([instruction("f", [], { discriminator })]),
          "instructions[0].discriminator must be a list of 1 to 32 bytes",
        ] as const,
    ),
    [
      idl([
        instruction("long", [], { discriminator: [1, 2, 3] }),
        instruction("other", [], { discriminator: [2] }),
        instruction("short", [], { discriminator: [1, 2] }),
      ]),
      'instructions begin alike: "short" and "long"',
    ],
    [idl([instruction("doIt"), instruction("do_it")]), 'instructions begin alike: "doIt" and "do_it"'],
    [arg(undefined), `${at} is missing`],
    [arg(7), `${at} must be an object`],
    ...["u256", "f16", "f8", "u7", "Pubkey", "usize", ""].map(
      (type) => [arg(type), `${at} is no type that can be read: "${type}"`] as const,
    ),
    [arg({ hashMap: ["u8", "u8"] }), `${at} is no type that can be read: "hashMap"`],
    [arg({ coption: "u8" }), `${at} is no type that can be read: "coption"`],
    [arg({}), `${at} must have one member: vec, option, array or defined`],
    [arg({ vec: "u8", option: "u8" }), `${at} must have one member: vec, option, array or defined`],
    [arg({ vec: "u9" }), `${at}.vec is no type that can be read: "u9"`],
    [arg({ array: ["u8"] }), `${at}.array must be a type and a length`],
    [arg({ array: ["u8", 65_536] }), `${at}.array[1] must be a length of 0 to 65535`],
    [arg({ array: ["u8", { generic: "N" }] }), `${at}.array[1] must be a length of 0 to 65535`],
    [arg({ defined: "T" }), `${at} is not among types: "T"`],
    [
      arg({ defined: { name: "T", generics: [{}] } }),
      `${at}.defined.generics cannot be read: types with parameters have no one layout`,
    ],
    [
      arg("u8", { ...struct("T"), generics: [{}] }),
      "types[0].generics cannot be read: types with parameters have no one layout",
    ],
    [arg("u8", struct("T"), struct("T")), 'types[1].name is there twice: "T"'],
    [arg("u8", { name: "T" }), "types[0].type must be an object"],
    [
      arg("u8", { name: "T", type: { kind: "union" } }),
      'types[0].type.kind must be struct, enum or alias: "union"',
    ],
    [arg("u8", { name: "T", type: { kind: "alias" } }), "types[0].type.value is missing"],
    [arg("u8", { name: "T", type: { kind: "struct", fields: {} } }), "types[0].type.fields must be a list"],
    [arg("u8", struct("T", field("a", "u8"), "u8")), "types[0].type.fields[1] must be an object"],
    [
      arg("u8", struct("T", "u8", field("a", "u8"))),
      "types[0].type.fields[1] must have one member: vec, option, array or defined",
    ],
    [enumOf([]), "types[0].type.variants must have 1 to 256 items"],
    [
      enumOf(Array.from({ length: 257 }, (_, index) => ({ name: `V${index}` }))),
      "types[0].type.variants must have 1 to 256 items",
    ],
    [enumOf([{ name: "A" }, { name: "A" }]), 'types[0].type.variants[1].name is there twice: "A"'],
    [
      enumOf([{ name: "A", fields: ["u9"] }]),
      'types[0].type.variants[0].fields[0] is no type that can be read: "u9"',
    ],
    [
      arg({ defined: "T" }, struct("T", field("again", { vec: { defined: "T" } }))),
      'types[0] lies within itself: "T"',
    ],
    [arg({ defined: "T0" }, ...chain(2, { option: { defined: "T0" } })), 'types[1] lies within itself: "T0"'],
    [arg({ defined: "T0" }, ...chain(17, "u8")), "types[15] lies more than 16 defined types deep"],
    [
      arg({ vec: { defined: "T" } }, { ...struct("T", field("a", "u8")), serialization: "bytemuck" }),
      "types[0] is not laid out by Borsh, and an argument",
    ],
  ])
  t.equal(faultOf(readIdl, arg({ defined: "T0" }, ...chain(16, "u8"))), undefined, "sixteen deep")
  t.equal(
    faultOf(readIdl, arg("u8", struct("T", field("a", { defined: "T" })))),
    undefined,
    "no argument leads there",
  )
})

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
