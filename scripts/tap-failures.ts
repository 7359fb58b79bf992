/** Lines kept of what tap prints below a failed assertion: the difference and the place, not a whole stack. */
const LINES_EACH = 40
/** Failures kept in full: a run that fails everywhere says the same thing often. */
const KEPT = 50

/** Collects the failed assertions of a TAP stream as it is printed, each with the names of the tests around it. */
export class Failures {
  readonly #kept: string[][] = []
  #open: string[] | undefined
  #rest = ""

  /** Takes the next piece of the output, cut anywhere. */
  read(text: string): void {
    const lines = (this.#rest + text).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) this.#readLine(line)
  }

  /** The lines to print at the end of a run; none if nothing failed. */
  report(): string[] {
    this.#readLine(this.#rest)
    this.#rest = ""
    return this.#kept.length === 0 ? [] : ["Failed:", ...this.#kept.flat()]
  }

  #readLine(line: string): void {
    const result = /^ *(not )?ok \d/.exec(line)
    if (result?.[1] !== undefined && !/ # (?:TODO|SKIP)\b/i.test(line)) {
      this.#open = this.#kept.length < KEPT ? [line] : undefined
      if (this.#open) this.#kept.push(this.#open)
    } else if (result) this.#open = undefined
    else if (this.#open && line.trim() !== "" && this.#open.length < LINES_EACH) this.#open.push(line)
  }
}
