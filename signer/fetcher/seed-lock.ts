import { performance } from "node:perf_hooks"
import { wiping } from "../core/crypto/secret.ts"
import type { Secret } from "../core/crypto/secret.ts"
import { refuse } from "../core/refusal.ts"
import { SeedOpener, type SlotEvidence } from "../core/sealed-seed/evidence.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import type { ShareProgress } from "../core/sealed-seed/given-shares.ts"
import type { SealedSeedLock } from "../process/unlock-calls.ts"

/** Opens a fetcher's sealed seed once. It is locked again by the end of the process, which starts sealed. */
export class FetcherSeedLock implements SealedSeedLock {
  readonly sealed: SealedFile
  readonly #open: (seed: Secret) => void
  readonly #opener: SeedOpener
  #isOpen = false
  #last: Promise<unknown> = Promise.resolve()

  /** `open`: called with the seed, which is wiped afterwards. */
  constructor(sealed: SealedFile, open: (seed: Secret) => void) {
    this.sealed = sealed
    this.#open = open
    this.#opener = new SeedOpener(sealed)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  progress(): ShareProgress {
    return this.#opener.shares.progress
  }

  /** One secret after the other. */
  unlock(evidence: SlotEvidence): Promise<boolean> {
    const done = this.#last.then(() => this.#take(evidence))
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Wipes shares that waited too long. */
  forgetOldShares(): void {
    this.#opener.shares.forgetOld(performance.now())
  }

  async #take(evidence: SlotEvidence): Promise<boolean> {
    if (this.#isOpen) throw refuse("PHASE_WRONG", "the seed is unlocked already: nothing was done")
    const seed = await this.#opener.take(evidence, performance.now())
    if (seed === undefined) return false
    this.#opener.shares.forget()
    wiping([seed], () => this.#open(seed))
    this.#isOpen = true
    return true
  }
}
