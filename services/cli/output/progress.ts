import type { Terminal } from "../../terminal-client/terminal.ts"

/** Least time between two lines of progress without a terminal, and between two drawings. */
const LINE_MS = 5_000
const DRAW_MS = 100
const BAR = 24

export type ProgressOptions = {
  /** Name of the counted things, in the plural. */
  noun: string
  total: number
  /** The terminal that the bar is drawn on; undefined: progress is lines of JSON. */
  screen?: { write(text: string): void } | undefined
  log: Terminal["log"]
  nowMs?: () => number
}

/** Progress on this process's standard error: a bar if that is a terminal. */
export function openProgress(
  work: Pick<ProgressOptions, "noun" | "total">,
  { log }: Pick<Terminal, "log">,
): Progress {
  return new Progress({ ...work, log, screen: process.stderr.isTTY ? process.stderr : undefined })
}

/** Progress of long work on standard error: a bar with rate and rest; without a terminal, lines of JSON. */
export class Progress {
  readonly #options: ProgressOptions
  readonly #nowMs: () => number
  readonly #startMs: number
  #shownMs: number
  #done = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#startMs = this.#nowMs()
    this.#shownMs = this.#startMs
  }

  /** Counts one more finished item. */
  advance(): void {
    this.#done += 1
    const { screen, total } = this.#options
    const now = this.#nowMs()
    const isLast = this.#done === total
    if (!isLast && now - this.#shownMs < (screen === undefined ? LINE_MS : DRAW_MS)) return
    this.#shownMs = now
    if (screen === undefined) this.#options.log(JSON.stringify(this.#state()))
    else screen.write(`\r${this.#bar()}\x1b[K`)
  }

  /** Takes the bar off the screen, so that a result can be printed in its place. */
  clear(): void {
    this.#options.screen?.write("\r\x1b[K")
  }

  #state() {
    const { noun, total } = this.#options
    const seconds = (this.#nowMs() - this.#startMs) / 1000
    const perSecond = seconds > 0 ? this.#done / seconds : 0
    const restSeconds = perSecond > 0 ? Math.ceil((total - this.#done) / perSecond) : undefined
    return {
      progress: noun,
      done: this.#done,
      total,
      perSecond: Number(perSecond.toFixed(1)),
      ...(restSeconds !== undefined && { restSeconds }),
    }
  }

  #bar(): string {
    const { done, total, perSecond, restSeconds } = this.#state()
    const filled = total === 0 ? BAR : Math.floor((done / total) * BAR)
    const rest = restSeconds === undefined ? "" : `, ${restSeconds} s left`
    const bar = `${"#".repeat(filled)}${"-".repeat(BAR - filled)}`
    return `[${bar}] ${done}/${total} ${this.#options.noun}, ${perSecond}/s${rest}`
  }
}
