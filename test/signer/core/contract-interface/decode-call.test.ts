// Arguments of calls: those that viem and ethers encode are read back, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import { AbiCoder, type ParamType } from "ethers"
import fc from "fast-check"
import t from "tap"
import { type AbiParameter, encodeAbiParameters, encodeFunctionData, parseAbi } from "viem"
import { type Argument, decodeCall } from "../../../../signer/core/contract-interface/decode-call.ts"
import { readableFunctions, readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import { runsOf } from "../../../harness/long.ts"
import { functionOf, shape } from "./call-judge.ts"

/** A parameter of the ABI with a value as viem takes it. */
type Typed = { parameter: AbiParameter; value: unknown }

const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexOf)
const typed = (type: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Typed> =>
  value.map((one) => ({ parameter: { name: "", type }, value: one }))

const width = fc.integer({ min: 1, max: 32 })
/** viem takes and returns numbers up to 48 bits. */
const integer = fc.tuple(width, fc.boolean()).chain(([bytes, signed]) => {
  const bits = BigInt(bytes * 8)
  const half = 2n ** (bits - 1n)
  const range = signed ? { min: -half, max: half - 1n } : { min: 0n, max: 2n * half - 1n }
  const value = fc.bigInt(range).map((one) => (bits <= 48n ? Number(one) : one))
  return typed(`${signed ? "" : "u"}int${bits}`, value)
})
const leaf = fc.oneof(
  integer,
  typed("bool", fc.boolean()),
  typed("address", bytesOf(20)),
  typed("string", fc.string({ unit: "grapheme", maxLength: 40 })),
  typed("bytes", fc.uint8Array({ maxLength: 70 }).map(hexOf)),
  width.chain((length) => typed(`bytes${length}`, bytesOf(length))),
)
const { any } = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    // Items of one array have one type: the same item several times.
    fc.tuple(tie("any"), fc.integer({ min: 0, max: 3 })).map(([{ parameter, value }, length]) => ({
      parameter: { ...parameter, type: `${parameter.type}[]` },
      value: Array.from({ length }, () => value),
    })),
    fc.tuple(tie("any"), fc.integer({ min: 1, max: 3 })).map(([{ parameter, value }, length]) => ({
      parameter: { ...parameter, type: `${parameter.type}[${length}]` },
      value: Array.from({ length }, () => value),
    })),
    fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((members) => ({
      parameter: { name: "", type: "tuple", components: members.map(({ parameter }) => parameter) },
      value: members.map(({ value }) => value),
    })),
  ),
}))

t.test("arguments are those that viem encodes and ethers decodes", async () => {
  const coder = AbiCoder.defaultAbiCoder()
  fc.assert(
    fc.property(fc.array(any, { maxLength: 4 }), (parameters) => {
      const inputs = parameters.map(({ parameter }) => parameter)
      const values = parameters.map(({ value }) => value)
      const data = encodeAbiParameters(inputs, values)
      const ours = JSON.stringify(shape(decodeCall(functionOf(inputs), Buffer.from(data.slice(2), "hex"))))
      const given = JSON.stringify(shape(values))
      const theirs = JSON.stringify(shape(coder.decode(inputs as unknown as ParamType[], data).toArray(true)))
      if (ours !== given) throw new Error(`${ours} is not ${given}`)
      if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`)
    }),
    { numRuns: runsOf(1000) },
  )
})

t.test("a changed byte is refused, or read as ethers reads it", async () => {
  const coder = AbiCoder.defaultAbiCoder()
  let read = 0
  fc.assert(
    fc.property(
      fc.array(any, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.nat(255),
      (parameters, place, byte) => {
        const inputs = parameters.map(({ parameter }) => parameter)
        const data = Buffer.from(
          encodeAbiParameters(
            inputs,
            parameters.map(({ value }) => value),
          ).slice(2),
          "hex",
        )
        if (data.length === 0) return
        data[place % data.length] = byte
        let ours: Argument[]
        try {
          ours = decodeCall(functionOf(inputs), data)
        } catch (fault) {
          if (isFault(fault, "call")) return
          throw fault
        }
        read += 1
        const theirs = coder.decode(inputs as unknown as ParamType[], data, true).toArray(true)
        if (JSON.stringify(shape(ours)) !== JSON.stringify(shape(theirs))) throw new Error("read differently")
      },
    ),
    { numRuns: runsOf(2000) },
  )
  t.ok(read > runsOf(200), `${read} were read`)
})

t.test("bits that do not belong to a value are refused with their place", async (t) => {
  const word = (last: string) => last.padStart(64, "0")
  for (const [type, data, reason, offset] of [
    ["address", word(`1${"22".repeat(20)}`), /more than 20 bytes/, 0],
    ["bool", word("2"), /more than 1 bits/, 0],
    ["uint8", word("100"), /more than 8 bits/, 0],
    ["int8", word("80"), /more than 8 bits/, 0],
    ["bytes4", `aabbccdd${"0".repeat(55)}1`, /more than 4 bytes/, 0],
    ["bytes", word("20"), /ends too early/, 32],
    ["bytes", word("ff"), /leads beyond the call/, 0],
    ["uint256[]", word("20") + word("2") + word("1"), /ends too early/, 96],
    ["string", `${word("20")}${word("1")}ff${"0".repeat(62)}`, /not UTF-8/, 32],
    ["uint256", "00", /ends too early/, 0],
  ] as const) {
    const call = () => decodeCall(functionOf([{ name: "", type }]), Buffer.from(data, "hex"))
    t.throws(call, { name: "Fault", kind: "call", message: reason, place: offset }, `${type} ${data}`)
  }
})

t.test("offsets that lead to the same bytes again and again end early", async (t) => {
  const words = 4096
  const word = (value: number) => value.toString(16).padStart(64, "0")
  // One list of many byte strings, all of them the same 64 kB.
  const content = `${word(65_536)}${"ab".repeat(65_536)}`
  const data = word(32) + word(words) + word(32 * words).repeat(words) + content
  const call = () => decodeCall(functionOf([{ name: "", type: "bytes[]" }]), Buffer.from(data, "hex"))
  t.throws(call, { message: /more than 1048576 bytes together/ })
  const long = `${word(32)}${word(0xffff)}${"00".repeat(0xffff)}`
  const huge = () =>
    decodeCall(functionOf([{ name: "", type: "uint8[4294967295]" }]), Buffer.from(long, "hex"))
  t.throws(huge, { message: /more than 1048576 bytes together/ })
})

t.test("tuples without members have no bytes, and no number of them takes long", async (t) => {
  const empty = (type: string, components: object[] = []) => ({ name: "", type, components }) as AbiParameter
  const inputs = [empty("tuple"), { name: "", type: "uint8" }, empty("tuple[2]")]
  const data = encodeAbiParameters(inputs, [{}, 7, [{}, {}]])
  t.same(shape(decodeCall(functionOf(inputs), Buffer.from(data.slice(2), "hex"))), [[], "7n", [[], []]])
  const many = Array.from({ length: 1000 }, () => empty("tuple"))
  for (const one of [empty("tuple[32768][32768]"), empty("tuple[32768]", many)]) {
    const call = () => decodeCall(functionOf([one]), new Uint8Array(0))
    t.throws(call, { message: /more than 1048576 bytes together/ })
  }
})

t.test("overloads differ by their selectors", async (t) => {
  const source = parseAbi(["function pay(address to)", "function pay(address to, uint256 amount)"])
  const abi = readableFunctions(readAbi(JSON.stringify(source)))
  const to = `0x${"22".repeat(20)}` as const
  for (const args of [[to], [to, 5n]] as const) {
    const data = encodeFunctionData({
      abi: source,
      functionName: "pay",
      args,
    })
    const called = abi.get(data.slice(2, 10))
    t.equal(called?.inputs.length, args.length)
    t.same(shape(decodeCall(called!, Buffer.from(data.slice(10), "hex"))), shape([...args]))
  }
})
