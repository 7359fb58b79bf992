/** Ctrl-C or a polite kill. */
export type Interruption = {
  signal: AbortSignal
  /** Resolves when we are told to stop. */
  told: Promise<void>
  /** Stops listening. */
  dispose(): void
}

/** SIGHUP: the terminal was closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

export function onInterruption(talk: (line: string) => void): Interruption {
  const { promise: told, resolve } = Promise.withResolvers<void>()
  const controller = new AbortController()
  const listen = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) talk(`stopping (${name})`)
    controller.abort()
    resolve()
  }
  for (const name of SIGNALS) process.on(name, listen)
  return {
    signal: controller.signal,
    told,
    dispose: () => {
      for (const name of SIGNALS) process.off(name, listen)
    },
  }
}
