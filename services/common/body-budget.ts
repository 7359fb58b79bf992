/** Bytes of bodies that are not sent to their end, of all connections of a process: 64 of 1 MiB. */
const MAX_BYTES = 64 * 1024 * 1024

/** A body that is being read: the bytes held for it, and what gives it up. */
export type HeldBody = { bytes: number; readonly giveUp: () => void }

/** Bounds the bytes of half-sent bodies. The body that began first gives way: honest ones end within a moment. */
export class BodyBudget {
  readonly #maxBytes: number
  readonly #held = new Set<HeldBody>()
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  begin(body: HeldBody): void {
    this.#held.add(body)
  }

  /** Counts further bytes of a body. May give up bodies, this one too. */
  add(body: HeldBody, bytes: number): void {
    if (!this.#held.has(body)) return
    body.bytes += bytes
    this.#bytes += bytes
    for (const oldest of this.#held) {
      if (this.#bytes <= this.#maxBytes) return
      this.end(oldest)
      oldest.giveUp()
    }
  }

  /** The body is complete or dropped. */
  end(body: HeldBody): void {
    if (this.#held.delete(body)) this.#bytes -= body.bytes
  }
}
