import { execFileSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { faultOf, kindOf } from "./engine/attempt.ts"
import { pack, unpack } from "./engine/batch-file.ts"
import { inputOf, lineOf } from "./engine/kept-inputs.ts"
import { Mutator } from "./engine/mutate.ts"
import { Difference, type Reader, requireSame } from "./engine/reader.ts"
import { judge } from "./engine/judge.ts"
import { shrink } from "./engine/shrink.ts"
import type { TreeFormat } from "./engine/tree.ts"
import { cbor } from "./formats/cbor.ts"
import { der } from "./formats/der.ts"
import { json } from "./formats/json.ts"
import { protobuf } from "./formats/protobuf.ts"
import { psbt } from "./formats/psbt.ts"
import { rlp } from "./formats/rlp.ts"
import { Random } from "./random.ts"

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex")

t.test("W176: coverage leads to a fault behind bytes that chance alone does not find", async (t) => {
  const words = [join(import.meta.dirname, "planted", "explore.ts")]
  const run = (guided: boolean) =>
    JSON.parse(
      execFileSync(process.execPath, [...words, guided ? "guided" : "blind"], { encoding: "utf8" }),
    ) as {
      found: string[]
      inputs: number
    }
  const guided = run(true)
  t.strictSame(guided.found, ['"FUZZ"'], `found after ${guided.inputs} inputs, and shrunk`)
  t.strictSame(run(false).found, [], "without coverage it is not found")
})

t.test("a finding is shrunk to the smallest and plainest input that fails alike", async (t) => {
  const fails = (input: Buffer) => input.includes(0xff) && input.includes(0x80)
  t.strictSame(shrink(hex("00112233 ff 44556677 80 8899"), fails), hex("ff80"))
  t.strictSame(
    shrink(Buffer.from("xyz{abc}"), (input) => /\{..?.?\}/.test(input.toString())),
    Buffer.from("{0}"),
  )
})

t.test("errors that a reader may not throw, and differences of its judge, are findings", async (t) => {
  const reader: Reader<string> = {
    seeds: () => [],
    read(input) {
      if (input[0] === 1) throw new RangeError("refused")
      if (input[0] === 2) throw new TypeError("crashed")
      return input.toString("hex")
    },
    isRefusal: (error) => error instanceof RangeError,
    judge: (_, outcome) =>
      "value" in outcome ? requireSame(outcome.value.length, 2, "the length") : undefined,
  }
  t.equal(faultOf(reader, hex("01")), undefined)
  t.equal(faultOf(reader, hex("03")), undefined)
  t.match(faultOf(reader, hex("02"))?.error, new TypeError("crashed"))
  t.match(faultOf(reader, hex("0304"))?.error, new Difference("the length: 4 is not 2"))
  const judged = judge(reader, {
    seed: 1,
    inputs: 2,
    endMs: Date.now() + 60_000,
    begin: [hex("03"), hex("02")],
    words: [],
  })
  t.match(judged, {
    inputs: 2,
    accepted: 1,
    findings: [{ input: hex("02"), error: new TypeError("crashed") }],
  })
  t.equal(kindOf(new Error('byte 12 of 0xabcdef: "x"')), kindOf(new Error('byte 7 of 0x01: "yz"')))
})

const INPUTS: readonly [TreeFormat, Buffer][] = [
  [json, Buffer.from('{"a":[1,"b\\"c",{}],"d":{"e":null}}')],
  [cbor, hex("a2 6161 01 6162 83 20 f5 c1 4202ff")],
  [der, hex("30 0a 02 01 05 a0 05 30 03 04 01 ff")],
  [protobuf, hex("08 96 01 12 04 08 01 10 02 1a 01 ff")],
  [psbt, hex("70736274ff 01 00 02 aabb 00 01 03 01 01 00")],
  [rlp, hex("02 c9 01 820400 c0 83616263")],
  [rlp, hex("c0")],
]

t.test("each format writes what it parsed as it was", async (t) => {
  for (const [format, input] of INPUTS) {
    const part = format.parse(input)
    t.ok(part !== undefined)
    if (part !== undefined) t.strictSame(format.write(part), input)
  }
})

t.test("mutations of an input with structure mostly have structure", async (t) => {
  for (const [format, input] of INPUTS) {
    const mutator = new Mutator(new Random(5), { format, maxLength: 200, words: [] })
    const made = Array.from({ length: 300 }, () => mutator.mutate(input, input))
    t.ok(made.every(({ length }) => length <= 200))
    t.ok(new Set(made.map((one) => one.toString("hex"))).size > 100, "they differ")
    t.ok(made.filter((one) => format.parse(one) !== undefined).length > 100)
  }
})

t.test("one seed makes the same mutations", async (t) => {
  const made = () => {
    const mutator = new Mutator(new Random(9), { format: json, maxLength: 200, words: [] })
    return Array.from({ length: 50 }, () => mutator.mutate(INPUTS[0]![1], INPUTS[0]![1]).toString("hex"))
  }
  t.strictSame(made(), made())
})

t.test("inputs are kept in lines and batches as they are", async (t) => {
  for (const input of [hex(""), hex("00ff"), Buffer.from('a "quoted"\n\tline'), Buffer.from("é")])
    t.strictSame(inputOf(lineOf(input)), input)
  t.match(lineOf(Buffer.from("text")), /^"text"$/)
  t.strictSame(unpack(pack([hex("01"), hex(""), hex("0203")])), [hex("01"), hex(""), hex("0203")])
})
