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

export function onStopRequest(environment: NodeJS.ProcessEnv, log: (line: string) => void): StopRequest {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  const controller = new AbortController()
  const stop = (reason: string) => {
    const isFirst = !controller.signal.aborted
    controller.abort()
    resolve()
    if (isFirst) log(`stopping (${reason})`)
  }
  for (const name of SIGNALS) process.on(name, stop)
  const unwatch =
    environment.npm_command === undefined ? () => undefined : watchParent(() => stop("npm has exited"))
  return {
    signal: controller.signal,
    requested: requested,
    dispose: () => {
      unwatch()
      for (const name of SIGNALS) process.off(name, stop)
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
