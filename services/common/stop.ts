import { constants } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import type { Listening } from "./listen.ts"
import type { Logger } from "./logger.ts"

/**
 * Time from the end of the grace until the process has ended. With the usual grace of one second it is less than the 10 s
 * after which Docker kills a container.
 */
export const STOP_MS = 8_500

/** The answer of /readyz to a load balancer while the process stops. */
export const STOPPING = { ready: false, process: "it is stopping; send requests to another process" }

const SIGNALS = ["SIGTERM", "SIGINT"] as const

/**
 * The stages of a process's stop. First `/readyz` says that it stops, so that load balancers send their requests elsewhere.
 * Then it takes no new connection, and its answers end their connections.
 */
export class Stop {
  readonly #requested = new AbortController()
  #isClosing = false

  /** Aborts when a stop is requested. */
  get requested(): AbortSignal {
    return this.#requested.signal
  }

  get isRequested(): boolean {
    return this.#requested.signal.aborted
  }

  /** True if answers end their connections. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  request(): void {
    this.#requested.abort()
  }

  beginClosing(): void {
    this.#isClosing = true
  }
}

/** A stop that SIGTERM or SIGINT requests. A second signal, of either kind, ends the process at once. */
export function stopOnSignals(): Stop {
  const stop = new Stop()
  for (const name of SIGNALS)
    process.on(name, () => {
      if (stop.isRequested) process.exit(128 + constants.signals[name])
      stop.request()
    })
  return stop
}

/**
 * Waits for a stop request, serves on for the grace, and begins to close the listener. From then on the process has
 * STOP_MS to end.
 */
export async function serveUntilStopped(
  listener: Listening,
  stop: Stop,
  { graceMs, log }: { graceMs: number; log: Logger },
): Promise<{ closed: Promise<void> }> {
  const { requested } = stop
  if (!requested.aborted) await new Promise((resolve) => requested.addEventListener("abort", resolve))
  log.info({ graceMs }, "stopping: /readyz answers 503, and requests are still served")
  await pause(graceMs)
  log.info("stopping: no new connections, finishing requests under way")
  const overdue = () => {
    log.fatal("stopping took too long: requests under way are broken off")
    process.exit(1)
  }
  setTimeout(overdue, STOP_MS).unref()
  stop.beginClosing()
  return { closed: listener.close() }
}
