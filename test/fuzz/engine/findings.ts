import { type Finding, faultOf, kindOf } from "./attempt.ts"
import type { Reader } from "./reader.ts"
import { shrink } from "./shrink.ts"

/** After so many kinds of findings there is enough to mend. */
const MAX_FINDINGS = 10

/** One finding of each kind, as small as it can be. */
export class Findings {
  readonly #reader: Reader
  readonly #found = new Map<string, Finding>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  get all(): Finding[] {
    return [...this.#found.values()]
  }

  get isFull(): boolean {
    return this.#found.size >= MAX_FINDINGS
  }

  note(input: Buffer, error: unknown): void {
    const kind = kindOf(error)
    if (this.#found.has(kind) || this.isFull) return
    const smallest = shrink(input, (candidate) => {
      const fault = faultOf(this.#reader, candidate)
      return fault !== undefined && kindOf(fault.error) === kind
    })
    this.#found.set(kind, { input: smallest, error: faultOf(this.#reader, smallest)?.error ?? error })
  }
}
