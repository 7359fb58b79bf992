import type { Random } from "../random.ts"
import type { Mutator } from "./mutate.ts"

/** A mutation of an input of the corpus. Half of the parents are among the newest. */
export function newInput(corpus: readonly Buffer[], random: Random, mutator: Mutator): Buffer {
  const { length } = corpus
  const newest = Math.ceil(length / 8)
  const at = random.below(2) === 0 ? length - 1 - random.below(newest) : random.below(length)
  return mutator.mutate(corpus[at] ?? Buffer.alloc(0), random.of(corpus))
}
