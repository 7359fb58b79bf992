import { createHash } from "node:crypto"
import t from "tap"
import { instructionOf } from "../../../../signer/core/contract-interface/decode-instruction.ts"
import { isUnreadable } from "../../../../signer/core/contract-interface/fault.ts"
import { namesOfAccounts } from "../../../../signer/core/contract-interface/idl-accounts.ts"
import { anchorDiscriminator, type Idl, readIdl } from "../../../../signer/core/contract-interface/idl.ts"
import { eachFails, partFaults } from "./faults.ts"
import { field, idl, instruction, read, struct } from "./idls.ts"

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
  const { instructions, types: defined } = readAll(
    idl([instruction("swapExactIn", args, { accounts })], types),
  )
  t.match(instructions, [
    {
      name: "swapExactIn",
      accounts: [
        { name: "payer", path: "payer" },
        { name: "mint", path: "vault.mint" },
        { name: "owner", path: "vault.owner" },
      ],
      args: [
        { name: "amount", type: { is: "integer", bits: 64, signed: false } },
        { name: "route", type: { is: "vec", of: { is: "defined", name: "Step" } } },
      ],
    },
  ])
  const hash = createHash("sha256").update("global:swap_exact_in").digest()
  t.same(Buffer.from(instructions[0]!.discriminator), hash.subarray(0, 8))
  t.match(shapeOf(defined.get("Step")), {
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
  t.match(shapeOf(defined.get("Id")), { is: "alias", of: { bits: 16 } })
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
  const { instructions, types } = readAll(value)
  t.same([...instructions[0]!.discriminator], [1, 2, 255])
  t.match(shapeOf(types.get("Config")), { fields: [{ name: "owner", type: { is: "publicKey" } }] })
})

t.test("reads every type", async (t) => {
  const names = ["bool", "bytes", "string", "publicKey", "pubkey", "f32", "f64"]
  for (const letter of ["i", "u"])
    for (const bits of [8, 16, 32, 64, 128, 256]) names.push(`${letter}${bits}`)
  for (const type of [
    ...names,
    { vec: "u8" },
    { option: { vec: "bool" } },
    { array: [{ array: ["u8", 0] }, 65_535] },
  ])
    t.equal(readAll(idl([instruction("f", [field("a", type)])])).instructions[0]?.args.length, 1)
})

t.test("makes the discriminators that Anchor makes", async (t) => {
  // As programs in use have them.
  t.equal(Buffer.from(anchorDiscriminator("initialize")).toString("hex"), "afaf6d1f0d989bed")
  t.equal(Buffer.from(anchorDiscriminator("swap")).toString("hex"), "f8c69e91e17587c8")
  t.equal(Buffer.from(anchorDiscriminator("swapV2")).toString("hex"), "2b04ed0b1ac91e62")
})

t.test("says where an IDL is none, and why", async (t) => {
  eachFails(t, readIdl, [
    ["", "is no JSON: the JSON ends early (at position 0)"],
    [[], "must be an object"],
    [{ types: [] }, "instructions is missing"],
    [{ types: {}, instructions: [] }, "types must be a list"],
    // No instruction has a name and a discriminator.
    [idl([null, {}]), "instructions[0] must be an object"],
  ])
})

t.test("an instruction without name or discriminator leaves the others as they are", async (t) => {
  const discriminators: unknown[] = [[], [256], [1.5], [-1], "01", Array(33).fill(0)]
  const bad: readonly (readonly [unknown, string])[] = [
    [null, " must be an object"],
    [{}, ".name is missing"],
    [instruction(""), ".name must have 1 to 256 characters"],
    [instruction(1), ".name must be a string"],
    ...discriminators.map(
      (discriminator) =>
        [instruction("f", [], { discriminator }), ".discriminator must be a list of 1 to 32 bytes"] as const,
    ),
    [instruction("f", [], { discriminant: 7 }), ".discriminant must be an object"],
    [instruction("f", [], { discriminant: { type: "u64", value: 7 } }), '.discriminant.type must be "u8"'],
    [
      instruction("f", [], { discriminant: { type: "u8", value: 256 } }),
      ".discriminant.value must be a list of 1 to 32 bytes",
    ],
  ]
  for (const [item, why] of bad) {
    const value = read(idl([item, instruction("ok", [field("a", "u8")])]))
    t.match(value.instructions, [{ name: "ok", args: [{ name: "a" }] }], why)
    t.same(partFaults(value), [`instructions[0]${why}`])
  }
})

t.test("an unreadable instruction is known by its name and discriminator", async (t) => {
  const arg = (type: unknown, ...types: unknown[]) => [[field("a", type)], types] as const
  const at = "instructions[1].args[0].type"
  const chain = (length: number, last: unknown) =>
    Array.from({ length }, (_, index) =>
      struct(`T${index}`, field("next", index + 1 < length ? { defined: `T${index + 1}` } : last)),
    )
  const typed = (type: unknown) => arg({ defined: "T" }, { name: "T", type })
  const enumOf = (variants: unknown) => typed({ kind: "enum", variants })
  const cases: readonly (readonly [readonly [unknown, readonly unknown[]], string])[] = [
    [[null, []], "instructions[1].args is missing"],
    [[{}, []], "instructions[1].args must be a list"],
    [[[field("a", "u8"), field("a", "u8")], []], 'instructions[1].args[1].name occurs twice: "a"'],
    [arg(undefined), `${at} is missing`],
    [arg(7), `${at} must be an object`],
    ...["u512", "f16", "f8", "f256", "u7", "Pubkey", "usize", ""].map(
      (type) => [arg(type), `${at} is no type that can be read: "${type}"`] as const,
    ),
    [arg({ hashMap: ["u8", "u8"] }), `${at} is no type that can be read: "hashMap"`],
    [arg({ bTreeMap: ["u8", "u8"] }), `${at} is no type that can be read: "bTreeMap"`],
    [arg({ coption: "u8" }), `${at} is no type that can be read: "coption"`],
    [arg({ generic: "T" }), `${at} is no type that can be read: "generic"`],
    [arg({}), `${at} must have one member: vec, option, array or defined`],
    [arg({ vec: "u8", option: "u8" }), `${at} must have one member: vec, option, array or defined`],
    [arg({ vec: "u9" }), `${at}.vec is no type that can be read: "u9"`],
    [arg({ array: ["u8"] }), `${at}.array must be a type and a length`],
    [arg({ array: ["u8", 65_536] }), `${at}.array[1] must be a length of 0 to 65535`],
    [arg({ array: ["u8", { generic: "N" }] }), `${at}.array[1] must be a length of 0 to 65535`],
    [arg({ defined: "T" }), `${at} is not among types: "T"`],
    [
      arg({ defined: { name: "T", generics: [{}] } }),
      `${at}.defined.generics cannot be read: types with parameters have no single layout`,
    ],
    [
      arg({ defined: "T" }, { ...struct("T"), generics: [{}] }),
      "types[0].generics cannot be read: types with parameters have no single layout",
    ],
    [
      arg({ vec: { defined: "T" } }, { ...struct("T", field("a", "u8")), serialization: "bytemuck" }),
      "types[0].serialization cannot be read: arguments are laid out by Borsh",
    ],
    [
      arg({ defined: "T" }, { ...struct("T"), serialization: { custom: "zc" } }),
      "types[0].serialization cannot be read: arguments are laid out by Borsh",
    ],
    [
      arg({ defined: "T" }, struct("T", field("a", "u8")), struct("T", field("a", "u16"))),
      'types[1].name occurs twice: "T"',
    ],
    [arg({ defined: "T" }, { name: "T" }), "types[0].type must be an object"],
    [typed({ kind: "union" }), 'types[0].type.kind must be struct, enum or alias: "union"'],
    [typed({ kind: "alias" }), "types[0].type.value is missing"],
    [typed({ kind: "struct", fields: {} }), "types[0].type.fields must be a list"],
    [arg({ defined: "T" }, struct("T", field("a", "u8"), "u8")), "types[0].type.fields[1] must be an object"],
    [
      arg({ defined: "T" }, struct("T", "u8", field("a", "u8"))),
      "types[0].type.fields[1] must have one member: vec, option, array or defined",
    ],
    [enumOf([]), "types[0].type.variants must have 1 to 256 items"],
    [
      enumOf(Array.from({ length: 257 }, (_, index) => ({ name: `V${index}` }))),
      "types[0].type.variants must have 1 to 256 items",
    ],
    [enumOf([{ name: "A" }, { name: "A" }]), 'types[0].type.variants[1].name occurs twice: "A"'],
    [
      enumOf([{ name: "A", fields: ["u9"] }]),
      'types[0].type.variants[0].fields[0] is no type that can be read: "u9"',
    ],
    [
      arg({ defined: "T" }, struct("T", field("again", { vec: { defined: "T" } }))),
      'types[0] contains itself: "T"',
    ],
    [arg({ defined: "T0" }, ...chain(2, { option: { defined: "T0" } })), 'types[1] contains itself: "T0"'],
    [arg({ defined: "T0" }, ...chain(17, "u8")), "types[15] lies more than 16 defined types deep"],
  ]
  for (const [[args, types], why] of cases) {
    // The second reader of a type finds what the first one found.
    const bad = [instruction("bad", args), instruction("badAgain", args)]
    const value = read(idl([instruction("ok", [field("x", "u8")]), ...bad], types))
    t.match(value.instructions[0], { name: "ok", args: [{ name: "x" }] }, why)
    t.match(value.instructions[1], { name: "bad", fault: { message: why } })
    t.same(Buffer.from(value.instructions[1]!.discriminator), Buffer.from(anchorDiscriminator("bad")))
    t.match(value.instructions[2], { name: "badAgain", fault: {} })
  }
  const deep = arg({ defined: "T0" }, ...chain(16, "u8"))
  t.equal(readAll(idl([instruction("f", deep[0])], deep[1])).instructions.length, 1, "sixteen deep")
})

t.test("unreadable accounts make their own instruction unreadable, and no flag does", async (t) => {
  const nested = (depth: number): object =>
    depth === 0 ? { name: "a" } : { name: "g", accounts: [nested(depth - 1)] }
  for (const [accounts, why] of [
    [undefined, "instructions[0].accounts is missing"],
    [["a"], "instructions[0].accounts[0] must be an object"],
    [[{}], "instructions[0].accounts[0].name is missing"],
    [[nested(9)], /^instructions\[0\](\.accounts\[0\]){9}\.accounts is nested too deep in groups$/],
  ] as const) {
    const value = read(idl([instruction("f", [], { accounts }), instruction("ok")]))
    t.match(value.instructions, [
      { name: "f", fault: { message: why } },
      { name: "ok", args: [] },
    ])
  }
  const flags = { isMut: "yes", isSigner: null, writable: 1, optional: "no", pda: 7, docs: "x" }
  const value = readAll(idl([instruction("f", [], { accounts: [{ name: "a", ...flags }, nested(8)] })]))
  t.equal(value.instructions[0]?.accounts.length, 2)
})

t.test("accounts of one name are distinguished by their groups", async (t) => {
  const group = (name: string) => ({ name, accounts: [{ name: "owner" }, { name: `${name}Mint` }] })
  const { instructions } = readAll(
    idl([instruction("f", [], { accounts: [{ name: "payer" }, group("repay"), group("withdraw")] })]),
  )
  const names = ["payer", "repay.owner", "repayMint", "withdraw.owner", "withdrawMint"]
  t.same(namesOfAccounts(instructions[0]!.accounts), names)
})

t.test("types that no argument uses, and members other than instructions, may be anything", async (t) => {
  const types = [
    null,
    { name: 5 },
    { name: "T" },
    struct("Again", field("a", { defined: "Again" })),
    struct("Unused", field("a", { hashMap: ["u8", "u8"] })),
    { ...struct("Zero"), serialization: "bytemuck" },
    struct("Used", field("a", "u8")),
    struct("Used", field("a", "u8")),
  ]
  const more = { accounts: "none", events: [5], errors: 7, constants: [{ name: "C", type: "x" }], state: {} }
  const value = readAll({ ...idl([instruction("f", [field("a", { defined: "Used" })])], types), ...more })
  t.match(value.instructions, [{ name: "f", args: [{ name: "a", type: { is: "defined" } }] }])
})

t.test("an argument may name the type of an account, as before 0.30", async (t) => {
  const accounts = [struct("State", field("a", "u8")), { name: "Named", discriminator: [1] }]
  const value = { ...idl([instruction("f", [field("a", { defined: "State" })])]), accounts }
  t.match(readAll(value).instructions, [{ name: "f" }])
  const twice = { ...value, types: [struct("State", field("a", "u16"))] }
  t.same(partFaults(read(twice)), ['accounts[0].name occurs twice: "State"'])
  t.same(partFaults(read({ ...value, types: [struct("State", field("a", "u8"))] })), [])
})

t.test("an instruction that occurs twice is one; data of several instructions are unreadable", async (t) => {
  const twice = readAll(idl([instruction("f"), instruction("g"), instruction("f")]))
  t.match(
    twice.instructions.map(({ name }) => name),
    ["f", "g"],
  )
  const value = read(
    idl([
      instruction("long", [], { discriminator: [1, 2, 3] }),
      instruction("other", [], { discriminator: [2] }),
      instruction("short", [field("a", "u8")], { discriminator: [1, 2] }),
      instruction("doIt"),
      instruction("do_it", [field("a", "u8")]),
    ]),
  )
  t.same(partFaults(value), [])
  t.match(instructionOf(value, Buffer.of(1, 2, 4)), { name: "short" })
  t.match(instructionOf(value, Buffer.of(2)), { name: "other" })
  const shared = { name: undefined, fault: { message: 'instructions share a prefix: "long" and "short"' } }
  t.match(instructionOf(value, Buffer.of(1, 2, 3)), shared)
  t.match(instructionOf(value, anchorDiscriminator("doIt")), { name: undefined, fault: /./ })
})

t.test("an instruction of Shank has its number as its first byte", async (t) => {
  const discriminant = { type: "u8", value: 5 }
  const value = readAll(idl([instruction("Transfer", [field("a", "u8")], { discriminant })]))
  t.same([...value.instructions[0]!.discriminator], [5])
})

t.test("reads an IDL without types: its instructions need none", async (t) => {
  const { instructions } = read({ instructions: [instruction("f", [field("a", "u8")])] })
  t.match(instructions, [{ name: "f", args: [{ name: "a", type: { bits: 8 } }] }])
  const needing = { instructions: [instruction("f", [field("a", { defined: "Step" })])] }
  t.match(partFaults(read(needing)), [/is not among types/])
})

/** Reads an IDL all of whose instructions can be read. */
function readAll(value: unknown) {
  const { instructions, faults, types } = read(value)
  const readable = instructions.flatMap((one) => (isUnreadable(one) ? [] : [one]))
  if (readable.length < instructions.length || faults.length > 0)
    throw new Error(partFaults(read(value)).join())
  return { instructions: readable, types }
}

function shapeOf(definition: ReturnType<Idl["types"]["get"]>) {
  return definition !== undefined && "shape" in definition ? definition.shape : undefined
}
