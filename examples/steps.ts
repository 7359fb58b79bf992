import { fail, SETTING } from "./development-values.ts"
import { print } from "./terminal.ts"

const began = performance.now()
let before = began

/** Prints a step, its outcome and the time since the previous step. */
export function step(name: string, outcome: string): void {
  const now = performance.now()
  print(`${`${(now - before).toFixed(1)} ms`.padStart(10)}  ${name.padEnd(36)} ${outcome}`)
  before = now
}

/** A step that must be true; otherwise the example ends. */
export function expect(what: string, holds: boolean): void {
  if (!holds) fail(`not so: ${what}`)
  step(what, "yes")
}

/** @param next the example that a reader runs after this one */
export function done(next?: string): void {
  print(`done in ${(performance.now() - began).toFixed(0)} ms`)
  if (next !== undefined) print(`Next: ${SETTING}npm run example:${next}`)
}
