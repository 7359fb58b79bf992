const RANDOM_BUFFER_BYTES = 4096

/**
 * Makes UUIDs of version 7 (RFC 9562 section 5.7) that grow strictly within this process. Lists and cursors rely on
 * their order, which is the order of creation.
 *
 * unix milliseconds(48) || version(4) = 7 || counter(12) || variant(2) = 10 || random(62)
 */
export class IdSource {
  readonly #random: (length: number) => Uint8Array
  /** Random bytes drawn ahead: ids are many, small and not secret. */
  #buffer: Uint8Array = new Uint8Array(0)
  #used = 0
  #lastMs = 0
  #counter = 0

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random
  }

  next(nowMs: number): string {
    if (nowMs > this.#lastMs) {
      this.#lastMs = nowMs
      this.#counter = 0
    } else if (++this.#counter > 0xfff) {
      // More than 4,096 ids in one millisecond, or a clock that stopped: use the next millisecond.
      this.#lastMs += 1
      this.#counter = 0
    }
    const bytes = Buffer.alloc(16)
    bytes.writeUIntBE(this.#lastMs, 0, 6)
    bytes.writeUInt16BE(0x7000 | this.#counter, 6)
    bytes.set(this.#draw(8), 8)
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = bytes.toString("hex")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  #draw(length: number): Uint8Array {
    if (this.#used + length > this.#buffer.length) {
      this.#buffer = this.#random(RANDOM_BUFFER_BYTES)
      this.#used = 0
    }
    this.#used += length
    return this.#buffer.subarray(this.#used - length, this.#used)
  }
}
