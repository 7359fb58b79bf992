// Several processes of the API at one address, by node:cluster. They share nothing but that address: each has its own connections to
// the database and the signer, as API processes of several hosts have.
import cluster, { type Worker } from "node:cluster"
import { setTimeout as pause } from "node:timers/promises"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import type { Logger } from "../common/logger.ts"
import type { Stop } from "../common/stop.ts"

/** Number of a worker, from 0 on, in its environment. A worker that takes the place of another has its number. */
const NUMBER = "API_WORKER"
/** The message on which a worker stops. It is no signal: one may reach the whole group, and a second one ends a process at once. */
const STOP = "stop"
/** Pause before another worker takes the place of one that ended, so that workers that keep ending use little processor time. */
const RESTART_PAUSE_MS = 1_000

/**
 * Starts the workers, and others in the place of those that end. Resolves after a stop once all have ended, with the exit code: that of
 * a worker which ended before it served, else 0.
 */
export async function superviseWorkers(count: number, log: Logger, stop: Stop): Promise<number> {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const codes = await Promise.all(numbers.map((number) => superviseWorker(number, log, stop)))
  log.info("stopped")
  return codes.find((code) => code !== 0) ?? 0
}

async function superviseWorker(number: number, log: Logger, stop: Stop): Promise<number> {
  for (;;) {
    const worker = cluster.fork({ [NUMBER]: String(number) })
    const sendStop = () => worker.isConnected() && worker.send(STOP)
    stop.requested.addEventListener("abort", sendStop)
    const { code, hasServed } = await endOf(worker)
    stop.requested.removeEventListener("abort", sendStop)
    if (stop.isRequested) return hasServed ? 0 : code
    if (!hasServed) {
      // Its fault is in the log, and the other workers would have it too.
      stop.request()
      return code
    }
    log.error({ worker: number, code }, "a process of the API ended: another one takes its place")
    await pause(RESTART_PAUSE_MS, undefined, { signal: stop.requested }).catch(() => undefined)
    if (stop.isRequested) return 0
  }
}

/** `code`: 1 for a process that a signal ended. */
function endOf(worker: Worker): Promise<{ code: number; hasServed: boolean }> {
  let hasServed = false
  worker.on("listening", () => (hasServed = true))
  return new Promise((resolve) => worker.once("exit", (code) => resolve({ code: code ?? 1, hasServed })))
}

/** In a worker: stops when the supervisor says so, and ends with it. */
export function stopWithSupervisor(stop: Stop): void {
  process.on("message", (message) => {
    if (message === STOP) stop.request()
  })
  process.channel?.unref()
}

/** Each worker has a port of its own for its metrics: that of the setting, and the next ones. */
export function metricsOfWorker(address: HostAndPort | undefined): HostAndPort | undefined {
  const number = Number(process.env[NUMBER] ?? 0)
  if (address === undefined || address.port === 0) return address
  return { ...address, port: address.port + number }
}
