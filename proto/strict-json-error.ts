/** Why a text is no strict JSON. `message` is one sentence for the caller and never quotes the text itself. */
export class StrictJsonError extends Error {
  /** Offset of the fault in UTF-16 code units; 0 when the bytes are no UTF-8 at all. */
  readonly position: number

  constructor(sentence: string, position: number) {
    super(`${sentence} (at position ${position})`)
    this.name = "StrictJsonError"
    this.position = position
  }
}
