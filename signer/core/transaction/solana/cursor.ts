import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"

/** Reads a Solana transaction from its first byte to its last. Every read may throw a fault of a transaction. */
export class SolanaCursor {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get offset(): number {
    return this.#at
  }

  byte(): number {
    return elementAt(this.take(1), 0)
  }

  take(length: number): Uint8Array {
    const start = this.#at
    if (start + length > this.#bytes.length)
      throw new Fault("transaction", "the transaction ends too early", start)
    this.#at = start + length
    return this.#bytes.subarray(start, this.#at)
  }

  /**
   * A length: 7 bits in each of one to three bytes, the lowest first; the eighth bit says that another byte follows
   * (Solana's `ShortU16`). Only the shortest form of a number up to 65,535 is accepted, as by nodes.
   */
  length(): number {
    const start = this.#at
    let value = 0
    for (let index = 0; index < 3; index++) {
      const byte = this.byte()
      value += (byte & 0x7f) * 2 ** (7 * index)
      if (byte < 0x80) {
        if (byte === 0 && index > 0) break
        if (value <= 0xffff) return value
      }
    }
    throw new Fault("transaction", "a length is not in its shortest form, or above 65535", start)
  }

  /** A length, then as many items. */
  list<T>(read: (index: number) => T): T[] {
    return Array.from({ length: this.length() }, (_, index) => read(index))
  }

  requireEnd(): void {
    if (this.#at < this.#bytes.length)
      throw new Fault("transaction", "bytes follow the transaction", this.#at)
  }
}
