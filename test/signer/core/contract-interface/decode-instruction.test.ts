// Arguments of instructions: those that @solana/kit encodes are read back, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import {
  addCodecSizePrefix,
  type Codec,
  getAddressCodec,
  getArrayCodec,
  getBooleanCodec,
  getBytesCodec,
  getDiscriminatedUnionCodec,
  getF32Codec,
  getF64Codec,
  getI128Codec,
  getI16Codec,
  getI32Codec,
  getI64Codec,
  getI8Codec,
  getStructCodec,
  getU128Codec,
  getU16Codec,
  getU32Codec,
  getU64Codec,
  getU8Codec,
  getUtf8Codec,
} from "@solana/kit"
import { base58 } from "@scure/base"
import fc from "fast-check"
import t from "tap"
import {
  decodeInstruction,
  type InstructionArgument,
  type InstructionArguments,
  instructionOf,
} from "../../../../signer/core/contract-interface/decode-instruction.ts"
import { isUnreadable } from "../../../../signer/core/contract-interface/fault.ts"
import { type Idl, readIdl } from "../../../../signer/core/contract-interface/idl.ts"
import { runsOf } from "../../../harness/long.ts"

/** A type of an IDL with kit's codec, a value as kit takes it, and the same in one shape for both readers. */
type Typed = { type: unknown; codec: Codec<unknown>; value: unknown; shape: unknown; defines: object[] }

const typed = (
  type: unknown,
  codec: unknown,
  value: fc.Arbitrary<unknown>,
  shapeOf = (one: unknown): unknown => `${String(one)}n`,
) =>
  value.map(
    (one): Typed => ({
      type,
      codec: codec as Codec<unknown>,
      value: one,
      shape: shapeOf(one),
      defines: [],
    }),
  )

const hexOf = (bytes: unknown) => `0x${Buffer.from(bytes as Uint8Array).toString("hex")}`
const number = (bits: number, signed: boolean) =>
  fc.bigInt(
    signed
      ? { min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }
      : { min: 0n, max: 2n ** BigInt(bits) - 1n },
  )
const same = (one: unknown) => one

const integers = [
  ["u8", getU8Codec(), 8],
  ["u16", getU16Codec(), 16],
  ["u32", getU32Codec(), 32],
  ["u64", getU64Codec(), 64],
  ["u128", getU128Codec(), 128],
  ["i8", getI8Codec(), 8],
  ["i16", getI16Codec(), 16],
  ["i32", getI32Codec(), 32],
  ["i64", getI64Codec(), 64],
  ["i128", getI128Codec(), 128],
] as const
const leaf = fc.oneof(
  ...integers.map(([type, codec, bits]) =>
    typed(
      type,
      codec,
      number(bits, type.startsWith("i")).map((one) => (bits <= 32 ? Number(one) : one)),
    ),
  ),
  typed("bool", getBooleanCodec(), fc.boolean(), same),
  typed("f32", getF32Codec(), fc.float({ noNaN: true }), String),
  typed("f64", getF64Codec(), fc.double({ noNaN: true }), String),
  typed(
    "string",
    addCodecSizePrefix(getUtf8Codec(), getU32Codec()),
    fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !text.includes("\0")),
    same,
  ),
  typed("bytes", addCodecSizePrefix(getBytesCodec(), getU32Codec()), fc.uint8Array({ maxLength: 40 }), hexOf),
  typed(
    "publicKey",
    getAddressCodec(),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((key) => base58.encode(key)),
    same,
  ),
)

let names = 0
const { any } = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.tuple(tie("any"), fc.nat(3)).map(([item, length]) => ({
      ...item,
      type: { vec: item.type },
      codec: getArrayCodec(item.codec) as unknown as Codec<unknown>,
      value: Array.from({ length }, () => item.value),
      shape: Array.from({ length }, () => item.shape),
    })),
    fc.tuple(tie("any"), fc.nat(3)).map(([item, length]) => ({
      ...item,
      type: { array: [item.type, length] },
      codec: getArrayCodec(item.codec, { size: length }) as unknown as Codec<unknown>,
      value: Array.from({ length }, () => item.value),
      shape: Array.from({ length }, () => item.shape),
    })),
    fc.tuple(tie("any"), fc.boolean()).map(([item, isSome]) => ({
      ...item,
      type: { option: item.type },
      // Kit's null of an option within an option is ambiguous: ours is one list within another.
      codec: getArrayCodec(item.codec, { size: getU8Codec() }) as unknown as Codec<unknown>,
      value: isSome ? [item.value] : [],
      shape: isSome ? [item.shape] : [],
    })),
    fc.array(tie("any"), { maxLength: 3 }).map((members) => {
      const name = `Type${names++}`
      const fields = members.map(({ type }, index) => ({ name: `f${index}`, type }))
      const codecs = members.map(({ codec }, index) => [`f${index}`, codec] as const)
      return {
        type: { defined: name },
        codec: getStructCodec(codecs) as unknown as Codec<unknown>,
        value: Object.fromEntries(members.map(({ value }, index) => [`f${index}`, value])),
        shape: Object.fromEntries(members.map(({ shape }, index) => [`f${index}`, shape])),
        defines: [...members.flatMap(({ defines }) => defines), { name, type: { kind: "struct", fields } }],
      }
    }),
    fc.tuple(tie("any"), fc.boolean()).map(([item, isFirst]) => {
      const name = `Type${names++}`
      const variants = [{ name: "None" }, { name: "Some", fields: [{ name: "of", type: item.type }] }]
      const codec = getDiscriminatedUnionCodec([
        ["None", getStructCodec([])],
        ["Some", getStructCodec([["of", item.codec]])],
      ])
      return {
        type: { defined: { name } },
        codec: codec as unknown as Codec<unknown>,
        value: isFirst ? { __kind: "None" } : { __kind: "Some", of: item.value },
        shape: isFirst ? { None: {} } : { Some: { of: item.shape } },
        defines: [...item.defines, { name, type: { kind: "enum", variants } }],
      }
    }),
  ),
}))

/** Our arguments in the shape of the generated values. */
function shapeOf(argument: InstructionArgument | InstructionArguments | undefined): unknown {
  if (argument instanceof Map)
    return Object.fromEntries(Array.from(argument, ([name, one]) => [name, shapeOf(one)]))
  if (Array.isArray(argument)) return (argument as readonly InstructionArgument[]).map(shapeOf)
  if (typeof argument === "bigint") return `${argument}n`
  return typeof argument === "object" && "hex" in argument ? argument.hex : argument
}

function idlOf(members: readonly Typed[]) {
  const args = members.map(({ type }, index) => ({ name: `a${index}`, type }))
  const defined = new Map(
    members.flatMap(({ defines }) => defines).map((one) => [(one as { name: string }).name, one]),
  )
  const instructions = [{ name: "run", discriminator: [7, 8], accounts: [], args }]
  return readIdl(JSON.stringify({ types: [...defined.values()], instructions }))
}

function encoded(members: readonly Typed[]): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(7, 8),
    ...members.map(({ codec, value }) => Uint8Array.from(codec.encode(value))),
  ])
}

function decoded(idl: Idl, data: Uint8Array) {
  const called = instructionOf(idl, data)
  if (called === undefined || isUnreadable(called)) throw new Error("no instruction that can be read")
  return decodeInstruction(called, idl, data)
}

t.test("arguments are those that @solana/kit encodes", async () => {
  fc.assert(
    fc.property(fc.array(any, { maxLength: 4 }), (members) => {
      const read = shapeOf(decoded(idlOf(members), encoded(members)))
      const expected = Object.fromEntries(members.map(({ shape }, index) => [`a${index}`, shape]))
      if (JSON.stringify(read) !== JSON.stringify(expected))
        throw new Error(`${JSON.stringify(read)} is not ${JSON.stringify(expected)}`)
    }),
    { numRuns: runsOf(1000) },
  )
})

t.test("arguments that end early are refused, and no bytes make the reader fail otherwise", async () => {
  fc.assert(
    fc.property(
      fc.array(any, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(255),
      (members, place, byte) => {
        const [idl, data] = [idlOf(members), encoded(members)]
        if (data.length === 2) return
        try {
          const read = [...decoded(idl, data.subarray(0, -1)).values()]
          // An option of one byte: it is absent, and nothing else is.
          if (read.at(-1) !== undefined || read.slice(0, -1).includes(undefined))
            throw new Error("read to the end of less")
        } catch (fault) {
          if (!isFault(fault, "call")) throw fault
        }
        const changed = Uint8Array.from(data)
        changed[2 + (place % (data.length - 2))] = byte
        try {
          decoded(idl, changed)
        } catch (fault) {
          if (!isFault(fault, "call")) throw fault
        }
      },
    ),
    { numRuns: runsOf(500) },
  )
})

t.test("a value that Borsh does not know is refused with its place", async (t) => {
  const types = [{ name: "Side", type: { kind: "enum", variants: [{ name: "Buy" }, { name: "Sell" }] } }]
  const faults = [
    ["bool", "02", /a flag is neither 0 nor 1/],
    [{ option: "u8" }, "0201", /a flag is neither 0 nor 1/],
    [{ defined: "Side" }, "02", /Side has no variant 2/],
    ["f32", "0000c07f", /no number/],
    ["string", "01000000ff", /not UTF-8/],
    [{ vec: "u8" }, "ffffffff", /more than 10000 values/],
    ["u64", "01", /ends too early/],
  ] as const
  for (const [type, digits, reason] of faults) {
    const instructions = [{ name: "run", discriminator: [1], accounts: [], args: [{ name: "a", type }] }]
    const idl = readIdl(JSON.stringify({ types, instructions }))
    const data = Buffer.from(`01${digits}`, "hex")
    t.throws(() => decoded(idl, data), { name: "Fault", kind: "call", message: reason }, JSON.stringify(type))
  }
})

t.test("data may end before trailing options, and before nothing else", async (t) => {
  const bool = { kind: "struct", fields: ["bool"] }
  const types = [
    { name: "OptionBool", type: bool },
    { name: "optionBool", type: bool },
    { name: "OptionTerms", type: { kind: "struct", fields: ["bool", "bool"] } },
    { name: "Flag", type: bool },
    { name: "Maybe", type: { kind: "alias", value: { option: "u8" } } },
    { name: "Unit", type: { kind: "struct" } },
  ]
  const read = (args: unknown[], digits: string) => {
    const list = args.map((type, index) => ({ name: `a${index}`, type }))
    const instructions = [{ name: "run", discriminator: [1], accounts: [], args: list }]
    const values = decoded(
      readIdl(JSON.stringify({ types, instructions })),
      Buffer.from(`01${digits}`, "hex"),
    )
    return Array.from(values.values(), (one) => (one === undefined ? "absent" : shapeOf(one)))
  }
  for (const [args, digits, expected] of [
    [["u8", { defined: "OptionBool" }], "05", ["5n", "absent"]],
    [["u8", { defined: { name: "optionBool" } }], "05", ["5n", "absent"]],
    [["u8", { defined: "OptionBool" }], "0501", ["5n", { 0: true }]],
    [["u8", { option: "u64" }], "05", ["5n", "absent"]],
    [["u8", { option: "u64" }], "0500", ["5n", []]],
    [["u8", { option: "u8" }, { defined: "Maybe" }], "05", ["5n", "absent", "absent"]],
    [["u8", { option: "u8" }, { defined: "Maybe" }], "050107", ["5n", ["7n"], "absent"]],
    [[{ option: "u8" }], "", ["absent"]],
  ] as const)
    t.same(read([...args], digits), expected, `${JSON.stringify(args)} ${digits}`)
  for (const [args, digits] of [
    [["u8", "u8"], "05"],
    [["u8", { defined: "Flag" }], "05"],
    [["u8", { defined: "OptionTerms" }], "05"],
    [["u8", { vec: "u8" }], "05"],
    [["u8", { array: [{ option: "u8" }, 1] }], "05"],
    [[{ option: "u8" }, "u8"], ""],
    [["u8", { option: "u16" }], "050100"],
    [["u8", { option: "u8" }], ""],
    [[{ option: "u8" }, { defined: "Flag" }], "00"],
  ] as const)
    t.throws(() => read([...args], digits), { name: "Fault", kind: "call", message: /ends too early/ })
})

t.test("an instruction is found by its discriminator, by Anchor's where the IDL names none", async (t) => {
  const instructions = [
    { name: "initialize", accounts: [], args: [] },
    { name: "run", discriminator: [1, 2], accounts: [], args: [] },
  ]
  const idl = readIdl(JSON.stringify({ types: [], instructions }))
  t.equal(instructionOf(idl, Buffer.from("afaf6d1f0d989bed", "hex"))?.name, "initialize")
  t.equal(instructionOf(idl, Buffer.from("0102ff", "hex"))?.name, "run")
  t.equal(instructionOf(idl, Buffer.from("01", "hex")), undefined)
  t.equal(instructionOf(idl, Buffer.alloc(0)), undefined)
})
