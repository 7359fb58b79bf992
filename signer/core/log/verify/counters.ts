import type { DecisionStatement } from "../leaf.ts"
import { type LogFault, logFault } from "./fault.ts"

/** Time between which decisions are to be complete, Unix milliseconds. Undefined: from the first one on, to the last. */
export type AuditRange = { readonly fromMs?: number | undefined; readonly toMs?: number | undefined }

/** The decisions that were counted since one start of the signer. */
export type CountedRun = {
  readonly startIndex: number
  /** Smallest and largest number in the range; 0: none. */
  readonly first: number
  readonly last: number
  /** Number of decisions in the range. */
  readonly count: number
  /** Numbers that are missing in between. */
  readonly missing: readonly number[]
}

/** The latest number of a run, as the signer stated it. */
export type StatedCount = { readonly startIndex: number; readonly decisions: number }

/** More missing numbers of one run are not listed. */
const MAX_MISSING = 1000

type Run = { all: Set<number>; inRange: number[] }

/** Finds decisions that were left out. Each has its number among those of its organization since a start of the signer. */
export class DecisionCounters {
  readonly #range: AuditRange
  readonly #runs = new Map<number, Run>()

  constructor(range: AuditRange) {
    this.#range = range
  }

  /** Adds an opened decision. Returns the fault of one whose number another one has. */
  add({ startIndex, counter, decidedAtMs }: DecisionStatement): LogFault | undefined {
    const run = this.#runs.get(startIndex) ?? { all: new Set(), inRange: [] }
    this.#runs.set(startIndex, run)
    if (run.all.has(counter))
      return logFault(
        "COUNTER_TWICE",
        `two decisions have the number ${counter} since the start at leaf ${startIndex}`,
      )
    run.all.add(counter)
    const { fromMs = -Infinity, toMs = Infinity } = this.#range
    if (decidedAtMs >= fromMs && decidedAtMs <= toMs) run.inRange.push(counter)
    return undefined
  }

  /**
   * The runs, in the order of their starts. Without a lower bound each begins with 1, and the run that the signer has stated has all up
   * to its number.
   */
  runs(stated: StatedCount | undefined): CountedRun[] {
    const isCurrent = this.#range.toMs === undefined
    if (stated !== undefined && isCurrent && stated.decisions > 0 && !this.#runs.has(stated.startIndex))
      this.#runs.set(stated.startIndex, { all: new Set(), inRange: [] })
    return [...this.#runs]
      .toSorted(([one], [other]) => one - other)
      .map(([startIndex, run]) => {
        const isStated = isCurrent && stated?.startIndex === startIndex
        return this.#runOf(startIndex, run, isStated ? stated.decisions : 0)
      })
      .filter(({ count, missing }) => count + missing.length > 0)
  }

  #runOf(startIndex: number, { all, inRange }: Run, stated: number): CountedRun {
    const sorted = inRange.toSorted((one, other) => one - other)
    const isWhole = this.#range.fromMs === undefined
    const first = sorted[0] ?? 0
    const last = sorted.at(-1) ?? 0
    const missing: number[] = []
    // Without any decision in a range with a beginning, those that were stated may all be of before it.
    const from = isWhole ? 1 : first || stated + 1
    for (let number = from; number <= Math.max(last, stated); number++) {
      if (!all.has(number)) missing.push(number)
      if (missing.length === MAX_MISSING) break
    }
    return { startIndex, first, last, count: sorted.length, missing }
  }
}

/** Numbers as a text: `3, 5 to 9`. */
export function numbersText(numbers: readonly number[]): string {
  const spans: [from: number, to: number][] = []
  for (const number of numbers) {
    const span = spans.at(-1)
    if (span !== undefined && span[1] === number - 1) span[1] = number
    else spans.push([number, number])
  }
  const texts = spans.slice(0, 20).map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`))
  return [...texts, ...(spans.length > 20 ? ["more"] : [])].join(", ")
}
