import { PayloadFault } from "../fault.ts"

/** Bytes that Keccak-256 takes in at a time (FIPS 202, rate of SHA3-256). */
const BLOCK = 136

/** A fraction of a second, and hundreds of times what wallets sign. */
const MAX_STEPS = 65_536

/**
 * How much typed data is hashed for one request: the signer does nothing else meanwhile. A step is one value of a
 * message, or one block of what goes into a hash. Two characters of JSON make a value, three a hash, and what a type
 * contains is hashed again with each that contains it, so that the length of the text alone bounds little.
 */
export class Effort {
  #left = MAX_STEPS

  /** One value. @throws {PayloadFault} when there was enough */
  value(): void {
    this.#take(1)
  }

  /** So many bytes to hash. @throws {PayloadFault} when there was enough */
  bytes(length: number): void {
    this.#take(1 + Math.floor(length / BLOCK))
  }

  #take(steps: number): void {
    this.#left -= steps
    if (this.#left >= 0) return
    throw new PayloadFault(
      `the typed data of one request has more than ${MAX_STEPS} values and blocks to hash`,
    )
  }
}
