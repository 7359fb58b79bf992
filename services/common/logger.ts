import pino, { type DestinationStream, type Logger } from "pino"
import { LogOutput } from "../../signer/core/log-output.ts"
import { terminalText } from "../../signer/core/terminal.ts"
import type { LogLevel } from "./settings.ts"
import { standardError } from "./standard-error.ts"

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
  return pino(options, destination ?? (level === "silent" ? DISCARDED : new BufferedStandardError(name)))
}

/** Destination of silent loggers. A destination on standard error would add a listener for the exit of the process. */
const DISCARDED: DestinationStream = { write: () => undefined }

/** Writes several lines at once. Fatal lines are written immediately, all others at the latest when the process exits. */
class BufferedStandardError implements DestinationStream {
  readonly #output: LogOutput
  #buffer = ""
  #timer: NodeJS.Timeout | undefined

  constructor(name: string) {
    const lostLine = (lost: number) =>
      JSON.stringify({
        level: "warn",
        time: new Date().toISOString(),
        name,
        lost,
        msg: "log lines were lost",
      })
    this.#output = new LogOutput(standardError(), lostLine)
    process.on("exit", () => this.flushSync())
  }

  write(line: string): void {
    // JSON escapes control characters below U+0020 only; the others could reorder a line or move a terminal's cursor.
    this.#buffer += `${terminalText(line.trimEnd())}\n`
    if (this.#buffer.length >= FLUSH_LENGTH) this.flushSync()
    else this.#timer ??= setTimeout(() => this.flushSync(), FLUSH_MS).unref()
  }

  /** Pino calls it after a fatal line. */
  flushSync(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#buffer === "") return
    const lines = this.#buffer
    this.#buffer = ""
    this.#output.write(lines)
  }
}
