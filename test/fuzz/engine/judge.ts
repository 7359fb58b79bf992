import { Random } from "../random.ts"
import { type Finding, isAccepted, outcomeOf } from "./attempt.ts"
import { Findings } from "./findings.ts"
import { Mutator } from "./mutate.ts"
import { newInput } from "./parents.ts"
import { MAX_LENGTH, type Reader } from "./reader.ts"
import type { RunOptions } from "./search.ts"

const BATCH = 256
/** Slow readers have smaller batches, so that a run ends in time. */
const MAX_BATCH_MS = 1_000

/** `accepted`: inputs that were read and not refused. */
export type Judged = { inputs: number; accepted: number; findings: Finding[] }

/** Reads and judges the inputs of a corpus, then mutations of them. */
export function judge(reader: Reader, { seed, inputs, endMs, begin, words, onBatch }: RunOptions): Judged {
  const random = new Random(seed)
  const { format, maxLength = MAX_LENGTH } = reader
  const mutator = new Mutator(random, { format, maxLength, words })
  const findings = new Findings(reader)
  const judged = { inputs: 0, accepted: 0 }
  const judgeAll = (batch: readonly Buffer[]) => {
    onBatch?.(batch)
    judged.inputs += batch.length
    for (const input of batch) {
      try {
        const outcome = outcomeOf(reader, input)
        if (isAccepted(outcome)) judged.accepted++
        reader.judge?.(input, outcome)
      } catch (error) {
        findings.note(input, error)
      }
    }
  }
  for (let at = 0; at < begin.length; at += BATCH) judgeAll(begin.slice(at, at + BATCH))
  let size = 1
  while (begin.length > 0 && judged.inputs < inputs && Date.now() < endMs && !findings.isFull) {
    const startMs = Date.now()
    const count = Math.min(size, inputs - judged.inputs)
    judgeAll(Array.from({ length: count }, () => newInput(begin, random, mutator)))
    size = Date.now() - startMs > MAX_BATCH_MS ? Math.max(1, size >> 2) : Math.min(BATCH, size * 2)
  }
  return { ...judged, findings: findings.all }
}
