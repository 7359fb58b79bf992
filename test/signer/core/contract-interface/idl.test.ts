import { createHash } from "node:crypto"
import t from "tap"
import { anchorDiscriminator, readIdl } from "../../../../signer/core/contract-interface/idl.ts"
import { eachFails, faultOf } from "./faults.ts"
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
      'instructions[0].accounts occurs twice: "a"',
    ],
    [
      idl([instruction("f", [field("a", "u8"), field("a", "u8")])]),
      'instructions[0].args[1].name occurs twice: "a"',
    ],
    [idl([instruction("f"), instruction("f")]), 'instructions[1].name occurs twice: "f"'],
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
      'instructions share a prefix: "short" and "long"',
    ],
    [idl([instruction("doIt"), instruction("do_it")]), 'instructions share a prefix: "doIt" and "do_it"'],
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
      `${at}.defined.generics cannot be read: types with parameters have no single layout`,
    ],
    [
      arg("u8", { ...struct("T"), generics: [{}] }),
      "types[0].generics cannot be read: types with parameters have no single layout",
    ],
    [arg("u8", struct("T"), struct("T")), 'types[1].name occurs twice: "T"'],
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
    [
      arg({ vec: { defined: "T" } }, { ...struct("T", field("a", "u8")), serialization: "bytemuck" }),
      "types[0] is used by an argument and must be laid out by Borsh",
    ],
  ])
  t.equal(faultOf(readIdl, arg({ defined: "T0" }, ...chain(16, "u8"))), undefined, "sixteen deep")
  t.equal(
    faultOf(readIdl, arg("u8", struct("T", field("a", { defined: "T" })))),
    undefined,
    "no argument leads there",
  )
})

t.test("reads an IDL without types: its instructions need none", async (t) => {
  const { instructions } = readIdl(JSON.stringify({ instructions: [instruction("f", [field("a", "u8")])] }))
  t.match(instructions, [{ name: "f", args: [{ name: "a", type: { bits: 8 } }] }])
  const needing = { instructions: [instruction("f", [field("a", { defined: "Step" })])] }
  t.match(faultOf(readIdl, needing), /is not among types/)
})
