import pino, { type DestinationStream, type Logger } from "pino"
import type { LogLevel } from "./settings.ts"

export type { Logger } from "pino"

/** A line waits at most this long to be written with others: a write of its own would cost more than the line. */
const FLUSH_MS = 100
/** Characters that are written without waiting. */
const FLUSH_LENGTH = 8192

/**
 * JSON lines on standard error. Callers choose each logged field; nothing needs redaction, because bodies, stamps and
 * contacts are never passed.
 */
export function createLogger(name: string, level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { name },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(options, destination ?? bufferedStandardError())
}

/** Writes several lines at once. Fatal lines are written immediately, all others at the latest when the process exits. */
function bufferedStandardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, minLength: FLUSH_LENGTH, periodicFlush: FLUSH_MS })
  process.on("exit", () => stream.flushSync())
  return stream
}
