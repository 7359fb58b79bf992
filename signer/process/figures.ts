import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { RefusalName } from "../core/refusal.ts"

/** Upper bounds of durations, seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations by size, as in metrics.proto. */
export class Histogram {
  readonly #counts = [...BOUNDS, 0].map(() => 0n)
  #sum = 0

  add(seconds: number): void {
    const index = BOUNDS.findIndex((bound) => seconds <= bound)
    this.#counts[index === -1 ? BOUNDS.length : index]! += 1n
    this.#sum += seconds
  }

  read() {
    return { bounds: BOUNDS, counts: this.#counts, sum: this.#sum }
  }
}

/** Refusals by code. */
export class RefusalCounts {
  readonly #counts = new Map<RefusalCode, bigint>()

  add(code: RefusalCode | RefusalName): void {
    const number = typeof code === "number" ? code : RefusalCode[code]
    this.#counts.set(number, (this.#counts.get(number) ?? 0n) + 1n)
  }

  read() {
    return [...this.#counts].map(([code, count]) => ({ code, count }))
  }
}

/** Starts a stopwatch: it returns the seconds since. */
export function stopwatch(): () => number {
  const startMs = performance.now()
  return () => (performance.now() - startMs) / 1000
}

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

let delay: ReturnType<typeof monitorEventLoopDelay> | undefined

/** The figures of this process. The event loop's delay is measured from the first call on. */
export function processFigures() {
  if (delay === undefined) {
    delay = monitorEventLoopDelay()
    delay.enable()
  }
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    residentBytes: BigInt(rss),
    heapBytes: BigInt(heapUsed),
    cpuSeconds: (user + system) / MICROSECONDS,
    uptimeSeconds: process.uptime(),
    eventLoopDelaySeconds: delay.percentile(99) / NANOSECONDS,
  }
}
