/** Target of log lines, which the edge of a process supplies. */
export type LogTarget = {
  /** Writes the text, or queues it without waiting. Throws if the target takes it not, or only in part. */
  write(text: string): void
  /** Characters that are queued. */
  queued(): number
}

/** Characters that may be queued for a reader that does not read. */
const MAX_QUEUED = 1024 * 1024

/**
 * Log lines of a process. Logging never stops or delays the process: lines that the target does not take are counted and
 * left out. The first text that is taken again follows a line with their number.
 */
export class LogOutput {
  readonly #target: LogTarget
  readonly #lostLine: (lost: number) => string
  #lost = 0

  /** @param lostLine the log line with the number of lines that were left out */
  constructor(target: LogTarget, lostLine: (lost: number) => string) {
    this.#target = target
    this.#lostLine = lostLine
  }

  /** @param text one or more whole lines, each with its end */
  write(text: string): void {
    // A line that was written in part is ended first.
    const notice = this.#lost === 0 ? "" : `\n${this.#lostLine(this.#lost)}\n`
    try {
      if (this.#target.queued() > MAX_QUEUED) throw new Error("nobody reads the log")
      this.#target.write(notice + text)
      this.#lost = 0
    } catch {
      this.#lost += text.split("\n").length - 1
    }
  }
}
