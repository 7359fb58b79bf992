/** What a process may be told to log. */
export const logLevels = ["fatal", "error", "warn", "info", "debug", "silent"] as const
export type LogLevel = (typeof logLevels)[number]
