import { Fault } from "../../fault.ts"

/** Bytes of one Keccak-256 block (FIPS 202, rate of SHA3-256). */
const BLOCK_BYTES = 136

/** Takes a fraction of a second, and is hundreds of times what wallets sign. */
const MAX_STEPS = 65_536

/**
 * Bounds the typed data that is read and hashed for one request, because the signer does nothing else meanwhile. A step
 * is one value of a message or one block of a text or hash. A limit on the text's length is not enough: two characters
 * of JSON make a value. A struct is hashed again with every struct that contains it.
 */
export class HashBudget {
  #left = MAX_STEPS

  /** Spends one step. @throws {Fault payload} when the budget is spent */
  spendOnValue(): void {
    this.#spend(1)
  }

  /** Spends the steps of hashing this many bytes. @throws {Fault payload} when the budget is spent */
  spendOnBytes(length: number): void {
    this.#spend(1 + Math.floor(length / BLOCK_BYTES))
  }

  #spend(steps: number): void {
    this.#left -= steps
    if (this.#left >= 0) return
    throw new Fault(
      "payload",
      `the typed data of one request has more than ${MAX_STEPS} values and blocks to hash`,
    )
  }
}
