// Explores planted.ts, for engine.test.ts: in a process of its own, because V8 counts the whole process.
import { Coverage } from "../engine/coverage.ts"
import { search } from "../engine/search.ts"
import { lineOf } from "../engine/kept-inputs.ts"
import type { Reader } from "../engine/reader.ts"

const isGuided = process.argv[2] === "guided"
const coverage = new Coverage(isGuided ? ["test/fuzz/planted/planted.ts"] : [])
const { readPlanted } = await import("./planted.ts")
const reader: Reader = { seeds: () => [], read: readPlanted, isRefusal: () => false }
const { inputs, findings } = search(reader, coverage, {
  seed: 6,
  inputs: 20000,
  endMs: Number.POSITIVE_INFINITY,
  begin: [Buffer.from("0000")],
  words: ["F", "U", "Z"].map((word) => Buffer.from(word)),
})
process.stdout.write(JSON.stringify({ inputs, found: findings.map(({ input }) => lineOf(input)) }))
