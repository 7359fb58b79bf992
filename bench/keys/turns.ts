/** Time for which one operation is repeated before the next has its turn. */
const TURN_MS = 10
/** Repetitions between two readings of the clock. */
const CHUNK = 8

/**
 * Rate of each operation a second, measured in turns of a few milliseconds until each has had so many seconds. Other load of
 * the machine slows all of them alike.
 */
export function takeTurns(operations: readonly (() => unknown)[], seconds: number): number[] {
  const counts = operations.map(() => 0)
  const spentMs = operations.map(() => 0)
  while (spentMs.some((spent) => spent < seconds * 1000)) {
    for (const [at, operation] of operations.entries()) {
      const start = performance.now()
      let elapsed = 0
      while (elapsed < TURN_MS) {
        for (let index = 0; index < CHUNK; index++) operation()
        counts[at]! += CHUNK
        elapsed = performance.now() - start
      }
      spentMs[at]! += elapsed
    }
  }
  return counts.map((count, at) => (count * 1000) / spentMs[at]!)
}
