// The short form of every fuzzer: its kept corpus, and mutations of it. `npm run fuzz` is the long form.
import t from "tap"
import { keptFile, lineOf, readInputs } from "./engine/kept-inputs.ts"
import { judge } from "./engine/judge.ts"
import { wordsOf } from "./engine/mutate.ts"
import { judgedReader, READERS } from "./readers/index.ts"

const MUTATIONS = 200
/** Mutations for a reader that may do more work than others. */
const FEW = 20
const SEED = 20_260_101

for (const [name, entry] of Object.entries(READERS)) {
  t.test(`W176: ${name} reads or refuses its corpus and mutations of it, as its judge does`, async (t) => {
    const reader = await judgedReader(entry)
    const inputs = readInputs(keptFile(name))
    t.ok(inputs.length > 0, "a corpus is kept")
    const { accepted, findings } = judge(reader, {
      seed: SEED,
      inputs: inputs.length + (reader.maxBlocks === undefined ? MUTATIONS : FEW),
      endMs: Number.POSITIVE_INFINITY,
      begin: inputs,
      words: wordsOf(inputs, []),
    })
    for (const { input, error } of findings) t.error(error, lineOf(input))
    t.ok(accepted > 0, `${accepted} inputs are read`)
  })
}
