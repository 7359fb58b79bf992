// Several processes of the API at one address, by node:cluster. They share nothing but that address: each has its own connections to
// the database and the signer, as API processes of several hosts have.
import cluster, { type Worker } from "node:cluster"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import type { Logger } from "../common/logger.ts"
import { type Stop, STOP_MS } from "../common/stop.ts"

/** Number of a worker, from 0 on, in its environment. A worker that takes the place of another has its number. */
const NUMBER = "API_WORKER"
/** The message on which a worker stops. A signal may reach the whole group, and a second one ends a process at once. */
const STOP = "stop"
/** Pause before another worker takes the place of one that ended, doubled up to the longest each time that it does not come to serve. */
const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Beyond the time in which workers end by themselves. */
const SPARE_MS = 500

/** `graceMs`: time for which a worker that was asked to stop still serves. */
export type Workers = { count: number; graceMs: number }

/** True once a worker has served: what fails at a start is then no fault of all. */
type Progress = { hasServed: boolean }

/**
 * Starts the workers, and others in the place of those that end. Resolves after a stop once all have ended, with the exit code of the
 * first that failed, or 0. While none has served, one that ends stops all of them.
 */
export async function superviseWorkers(
  { count, graceMs }: Workers,
  log: Logger,
  stop: Stop,
): Promise<number> {
  // This program may have been started by another one, such as countersign-node.
  cluster.setupPrimary({ exec: join(import.meta.dirname, "main.ts"), args: [] })
  stop.requested.addEventListener("abort", () => killLater(graceMs + STOP_MS + SPARE_MS, log))
  const progress = { hasServed: false }
  const numbers = Array.from({ length: count }, (_, number) => number)
  const codes = await Promise.all(numbers.map((number) => superviseWorker(number, progress, log, stop)))
  log.info("stopped")
  return codes.find((code) => code !== 0) ?? 0
}

async function superviseWorker(number: number, progress: Progress, log: Logger, stop: Stop): Promise<number> {
  let pauseMs = PAUSE_MS
  while (!stop.isRequested) {
    const { code, hasServed } = await runWorker(number, stop)
    progress.hasServed ||= hasServed
    if (stop.isRequested) return code
    if (!progress.hasServed) {
      // Its fault is in the log, and the others would meet it too.
      stop.request()
      return code
    }
    pauseMs = hasServed ? PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    log.error({ worker: number, code, pauseMs }, "a process of the API ended: another one takes its place")
    await pause(pauseMs, undefined, { signal: stop.requested }).catch(() => undefined)
  }
  return 0
}

/** Resolves when a new worker has ended. */
async function runWorker(number: number, stop: Stop): Promise<{ code: number; hasServed: boolean }> {
  const worker = cluster.fork({ [NUMBER]: String(number) })
  const state = { hasServed: false }
  worker.on("listening", () => (state.hasServed = true))
  // A message to a worker that has just ended fails: its end is seen all the same.
  worker.on("error", () => undefined)
  const sendStop = () => void (worker.isConnected() && worker.send(STOP))
  stop.requested.addEventListener("abort", sendStop)
  const code = await endOf(worker)
  stop.requested.removeEventListener("abort", sendStop)
  return { code, ...state }
}

/** The exit code. A worker that a signal of a stop ends early has not failed; any other signal is 1. */
function endOf(worker: Worker): Promise<number> {
  return new Promise((resolve) =>
    worker.once("exit", (code, signal) =>
      resolve(signal === "SIGTERM" || signal === "SIGINT" ? 0 : (code ?? 1)),
    ),
  )
}

/** Ends workers that do not stop by themselves. */
function killLater(ms: number, log: Logger): void {
  const kill = () => {
    const left = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    if (left.length > 0) log.error({ workers: left.length }, "stopping took too long: processes are killed")
    for (const worker of left) worker.process.kill("SIGKILL")
  }
  setTimeout(kill, ms).unref()
}

/** In a worker, first of all: it ends when it has nothing to do, although its supervisor could still send messages. */
export function endWithoutWork(): void {
  if (cluster.isWorker) process.channel?.unref()
}

/** In a worker: stops when the supervisor says so, and ends with it. */
export function stopWithSupervisor(stop: Stop): void {
  if (!cluster.isWorker) return
  process.on("message", (message) => {
    if (message === STOP) stop.request()
  })
  // A listener keeps the process running again.
  endWithoutWork()
}

/** Each worker has its own port for its metrics: the first that of the setting, the others the following ones. */
export function metricsOfWorker(address: HostAndPort | undefined): HostAndPort | undefined {
  if (!cluster.isWorker || address === undefined || address.port === 0) return address
  return { ...address, port: address.port + Number(process.env[NUMBER] ?? 0) }
}
