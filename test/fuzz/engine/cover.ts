import { outcomeOf } from "./attempt.ts"
import type { Coverage } from "./coverage.ts"
import type { Reader } from "./reader.ts"

/** Few inputs that together execute every block that all do, the shortest first. */
export function smallestCover(reader: Reader, coverage: Coverage, corpus: readonly Buffer[]): Buffer[] {
  const covered = new Set<number>()
  const cover: Buffer[] = []
  coverage.take()
  for (const input of corpus.toSorted((one, other) => one.length - other.length)) {
    try {
      outcomeOf(reader, input)
    } catch {
      // A finding is kept by itself.
      coverage.take()
      continue
    }
    const before = covered.size
    for (const id of coverage.take().counts.keys()) covered.add(id)
    if (covered.size > before) cover.push(input)
  }
  return cover
}
