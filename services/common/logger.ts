import pino, { type DestinationStream, type Logger } from "pino"

export type { Logger } from "pino"
export const logLevels = ["fatal", "error", "warn", "info", "debug", "silent"] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * JSON lines on standard error, written at once so that the last words of a dying process are there. What is
 * logged is chosen field by field where it is logged; there is nothing to redact because bodies, stamps and
 * contacts are never handed in.
 */
export function createLogger(name: string, level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { name },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(options, destination ?? pino.destination({ dest: 2, sync: true }))
}
