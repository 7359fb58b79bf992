import { quantile } from "./spread.ts"

/** Times of one operation, in the unit that was asked for. */
export type Timing = { median: number; p99: number }

/** Time of one call, after as many to warm up. */
export function timed(count: number, nanosecondsPerUnit: number, act: () => unknown): Timing {
  const times = new Float64Array(count)
  for (let index = 0; index < count; index += 1) act()
  for (let index = 0; index < count; index += 1) {
    const start = process.hrtime.bigint()
    act()
    times[index] = Number(process.hrtime.bigint() - start) / nanosecondsPerUnit
  }
  times.sort()
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99) }
}
