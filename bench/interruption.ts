const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** The run received a signal to stop. */
export class Interrupted extends Error {}

/**
 * Notes a signal instead of ending at once: a database server outlives its parent process, so that everything has to
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
