/** A request to stop: Ctrl-C, SIGTERM, SIGHUP, or the exit of npm. */
export type StopRequest = {
  signal: AbortSignal
  /** Resolves when a stop is requested. */
  requested: Promise<void>
  /** Removes the signal handlers. */
  dispose: () => void
}

/** SIGHUP: the terminal closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const WATCH_MS = 200

/** A terminal signals npm and this process, and npm passes the signal on: signals closer together are one request. */
const SAME_REQUEST_MS = 1000

type StopOptions = {
  environment: NodeJS.ProcessEnv
  log: (line: string) => void
  /** Called for a second request: its sender does not want to wait. */
  onSecond: (signal: NodeJS.Signals) => void
  /** Monotonic milliseconds. */
  elapsedMs?: () => number
}

export function onStopRequest({
  environment,
  log,
  onSecond,
  elapsedMs = () => performance.now(),
}: StopOptions): StopRequest {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  const controller = new AbortController()
  let requestedAtMs = Infinity
  const stop = (reason: string) => {
    const isFirst = !controller.signal.aborted
    controller.abort()
    resolve()
    if (!isFirst) return
    requestedAtMs = elapsedMs()
    log(`stopping (${reason}); to stop at once, send another signal after one second`)
  }
  const signalled = (name: NodeJS.Signals) => {
    if (elapsedMs() - requestedAtMs >= SAME_REQUEST_MS) onSecond(name)
    else stop(name)
  }
  for (const name of SIGNALS) process.on(name, signalled)
  const unwatch =
    environment.npm_command === undefined ? () => undefined : watchParent(() => stop("npm has exited"))
  return {
    signal: controller.signal,
    requested,
    dispose: () => {
      unwatch()
      for (const name of SIGNALS) process.off(name, signalled)
    },
  }
}

/** npx starts a shell in between. A signal to npx ends that shell and never reaches this process. */
function watchParent(gone: () => void): () => void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) gone()
  }, WATCH_MS)
  timer.unref()
  return () => clearInterval(timer)
}
