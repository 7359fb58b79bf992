/**
 * A computation that pauses at each `yield`. Between two of them it computes for well under a millisecond, and for about
 * three while it compiles the longest expression. The code that advances it decides how many steps follow each other.
 * Its result is the same however it is divided.
 */
export type Steps<T> = Generator<void, T, void>

/** Computation between two returns to the event loop, milliseconds: other requests wait at most about this long. */
const SLICE_MS = 1

/** Advances a computation for one slice. `done` is false when it has not ended. */
export function advance<T>(steps: Steps<T>, sliceMs = SLICE_MS): IteratorResult<void, T> {
  const endMs = performance.now() + sliceMs
  for (;;) {
    const result = steps.next()
    if (result.done === true || performance.now() >= endMs) return result
  }
}

/** Runs a computation to its end without a pause. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const result = steps.next()
    if (result.done === true) return result.value
  }
}

/** True if a value is a computation in steps. */
export function isSteps(value: unknown): value is Steps<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && "next" in value
}

/** The turns that slices of a computation wait for. */
export type Turns = { run<T>(owner: string, task: () => T): Promise<T> }

/** Runs a computation in slices. The first one runs at once, each other one in a turn of `owner`. */
export async function inSlices<T>(steps: Steps<T>, owner: string, turns: Turns): Promise<T> {
  let result = advance(steps)
  while (result.done !== true) result = await turns.run(owner, () => advance(steps))
  return result.value
}
