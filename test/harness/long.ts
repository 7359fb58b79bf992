/** Whether tests run in their long form. */
export const isLong = process.env["TEST_LONG"] === "1"

/**
 * All cases in the long form of a test (`npm run test:long`), else the first `count`: those that differ most. For cases
 * that each start a whole system.
 */
export function casesOf<Case>(count: number, cases: readonly Case[]): readonly Case[] {
  return isLong ? cases : cases.slice(0, count)
}

/** Number of random runs of a property test: all in the long form, else a tenth. */
export function runsOf(count: number): number {
  return isLong ? count : Math.ceil(count / 10)
}
