/** Ctrl-C, a polite kill, or the end of the npm that runs us. */
export type Interruption = {
  signal: AbortSignal
  /** Resolves when we are told to stop. */
  told: Promise<void>
  /** Stops listening. */
  dispose: () => void
}

/** SIGHUP: the terminal was closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const WATCH_MS = 200

export function onInterruption(environment: NodeJS.ProcessEnv, talk: (line: string) => void): Interruption {
  const { promise: told, resolve } = Promise.withResolvers<void>()
  const controller = new AbortController()
  const stop = (reason: string) => {
    const isFirst = !controller.signal.aborted
    controller.abort()
    resolve()
    if (isFirst) talk(`stopping (${reason})`)
  }
  for (const name of SIGNALS) process.on(name, stop)
  const unwatch =
    environment.npm_command === undefined ? () => undefined : watchParent(() => stop("npm is gone"))
  return {
    signal: controller.signal,
    told,
    dispose: () => {
      unwatch()
      for (const name of SIGNALS) process.off(name, stop)
    },
  }
}

/** npx puts a shell between itself and us; a signal for npx ends that shell and never arrives here. */
function watchParent(gone: () => void): () => void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) gone()
  }, WATCH_MS)
  timer.unref()
  return () => clearInterval(timer)
}
