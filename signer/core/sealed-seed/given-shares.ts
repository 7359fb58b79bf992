import type { Secret } from "../crypto/secret.ts"
import { refuse } from "../refusal.ts"
import type { SealedFile } from "./format.ts"
import { openByShares } from "./open.ts"
import { describeShare, readShare, type Share, type ShareLabel } from "./share.ts"
import { deploymentPrefix, ownerName, type SetTerms } from "./terms.ts"

/** Shares wait this long for the next one: holders on the phone reach their sheets in that time. */
export const SHARES_KEPT_MS = 15 * 60_000

/** Numbers of the shares that wait, and how many are needed. */
export type ShareProgress = { given: readonly number[]; threshold: number }

/** Shares that holders give one at a time. They wait in memory for the threshold, and no longer than SHARES_KEPT_MS. */
export class GivenShares {
  readonly #sealed: SealedFile
  readonly #open: typeof openByShares
  #shares: Share[] = []
  #lastAtMs = 0

  /** `open`: what a threshold of points gives, the seed or the file's key. */
  constructor(sealed: SealedFile, open: typeof openByShares = openByShares) {
    this.#sealed = sealed
    this.#open = open
  }

  get progress(): ShareProgress {
    return {
      given: this.#shares.map(({ label }) => label.number).toSorted((a, b) => a - b),
      threshold: this.#sealed.header.threshold,
    }
  }

  /**
   * Takes one share, and keeps no view of its bytes. With the threshold all are wiped, whether they open the seed or not.
   *
   * @returns the seed, which the caller wipes; undefined: more shares are needed
   * @throws SHARE_MISTYPED, SHARE_FOREIGN, SHARE_REPEATED: nothing changed; SHARES_WRONG, SEALED_SEED_DAMAGED
   */
  async give(bytes: Uint8Array, nowMs: number): Promise<Secret | undefined> {
    this.forgetOld(nowMs)
    const share = readShare(bytes)
    try {
      requireOfSet(share.label, this.#sealed.header)
      if (this.#shares.some(({ label }) => label.number === share.label.number))
        throw refuse(
          "SHARE_REPEATED",
          `${describeShare(share.label)}, was given already: another holder gives another share`,
        )
    } catch (error) {
      share.point.wipe()
      throw error
    }
    this.#shares.push(share)
    this.#lastAtMs = nowMs
    if (this.#shares.length < this.#sealed.header.threshold) return undefined
    const points = this.#shares.map(({ point }) => point)
    this.#shares = []
    try {
      return await this.#open(this.#sealed, points)
    } finally {
      for (const point of points) point.wipe()
    }
  }

  /** Wipes shares that waited too long. @param nowMs monotonic */
  forgetOld(nowMs: number): void {
    if (nowMs - this.#lastAtMs >= SHARES_KEPT_MS) this.forget()
  }

  /** Wipes all shares. */
  forget(): void {
    for (const { point } of this.#shares) point.wipe()
    this.#shares = []
  }
}

/** @throws SHARE_FOREIGN */
function requireOfSet(label: ShareLabel, terms: SetTerms): void {
  const deployment = Buffer.from(deploymentPrefix(terms.deploymentId)).toString("hex")
  const expected = `this seed is the ${ownerName(terms.owner)}'s, of deployment ${deployment}, generation ${terms.generation}`
  const foreign = (advice: string) =>
    refuse("SHARE_FOREIGN", `this is ${describeShare(label)}, and ${expected}: ${advice}`)
  if (label.owner !== terms.owner) throw foreign("take the line of that process on the same sheet")
  if (label.deployment !== deployment) throw foreign("take the sheet of this deployment")
  if (label.generation !== terms.generation)
    throw foreign("the shares were changed, so take the sheet of that generation")
  const isOfSet = Buffer.from(terms.setId).equals(label.setId)
  if (!isOfSet || label.threshold !== terms.threshold || label.number > terms.shares)
    throw foreign(
      "it comes from another ceremony of the same generation, which was broken off: take the later sheet",
    )
}
