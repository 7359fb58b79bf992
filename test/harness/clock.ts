import type { Clock } from "../../signer/enclave/ledger/trusted-clock.ts"

/** A clock that the test moves. */
export class TestClock implements Clock {
  #wallMs: number
  #monotonicMs = 0

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    this.#wallMs = wallMs
  }

  wallMs(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  pass(ms: number): void {
    this.#wallMs += ms
    this.#monotonicMs += ms
  }

  setWall(ms: number): void {
    this.#wallMs = ms
  }
}
