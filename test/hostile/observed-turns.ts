import type { Test } from "tap"
import type { Fixture } from "./setup.ts"

/** The turns that the signer's long orders continue in, in a test's hands. */
export type ObservedTurns = {
  /** Turns that the owner's orders took. */
  of: (owner: string) => number
  /** True while continued orders wait until they are released. */
  isHolding: boolean
  release: () => void
  /** Runs an order in a turn of its owner, which is not counted, as the signer runs the orders of its stream. */
  run: <T>(owner: string, task: () => T | Promise<T>) => Promise<T>
}

/** Observes turns. Each look at the clock is three milliseconds later, so that every slice is one step. */
export function observeTurns(t: Test, { boundary }: Pick<Fixture, "boundary">): ObservedTurns {
  let nowMs = performance.now()
  t.intercept(performance, "now", { value: () => (nowMs += 3) })
  const { turns } = boundary.signer
  const run = turns.run.bind(turns)
  const counts = new Map<string, number>()
  const held: (() => void)[] = []
  const observed: ObservedTurns = {
    of: (owner) => counts.get(owner) ?? 0,
    isHolding: false,
    release() {
      observed.isHolding = false
      for (const start of held.splice(0)) start()
    },
    run,
  }
  turns.run = <T>(owner: string, task: () => T | Promise<T>): Promise<T> => {
    counts.set(owner, observed.of(owner) + 1)
    if (!observed.isHolding) return run(owner, task)
    return new Promise((resolve, reject) => held.push(() => void run(owner, task).then(resolve, reject)))
  }
  return observed
}
