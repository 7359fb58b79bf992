const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** The run was told to stop. */
export class Interrupted extends Error {}

/**
 * Notes a signal instead of dying of it: a database server outlives whoever started it, so that everything has to
 * be stopped in order. `check` throws once there was one.
 */
export function watchInterruption(): { check(): void; end(): void } {
  let cause: string | undefined
  const note = (signal: string) => {
    cause = signal
  }
  for (const signal of SIGNALS) process.on(signal, note)
  return {
    check() {
      if (cause !== undefined) throw new Interrupted(`interrupted by ${cause}`)
    },
    end() {
      for (const signal of SIGNALS) process.off(signal, note)
    },
  }
}
