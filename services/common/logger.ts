import pino, { type DestinationStream, type Logger } from "pino"
import type { LogLevel } from "./settings.ts"

export type { Logger } from "pino"

/** A line waits at most this long for others to be written with it: a write each costs more than the line. */
const FLUSH_MS = 100
/** Characters that are not waited with. */
const FLUSH_LENGTH = 8192

/**
 * JSON lines on standard error. What is logged is chosen field by field where it is logged; there is nothing to
 * redact because bodies, stamps and contacts are never handed in.
 */
export function createLogger(name: string, level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { name },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(options, destination ?? gatheredOnStandardError())
}

/** Several lines to a write. Fatal ones are written at once, and the rest when the process ends, however it does but by SIGKILL. */
function gatheredOnStandardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, minLength: FLUSH_LENGTH, periodicFlush: FLUSH_MS })
  process.on("exit", () => stream.flushSync())
  return stream
}
