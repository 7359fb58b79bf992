/** Deterministic random numbers of a seed: 32-bit xorshift (Marsaglia, 2003). Never for secrets. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1
  }

  /** An integer from 0 up to, not including, the end. */
  below(end: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % end
  }

  of<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    return choices[this.below(choices.length)] as T
  }

  bytes(count: number): number[] {
    return Array.from({ length: count }, () => this.below(256))
  }
}
