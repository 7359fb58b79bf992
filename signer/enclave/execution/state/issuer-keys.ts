import type { VerificationKey } from "../../../core/oidc/keys.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"

/** Issuers whose keys are kept. */
const MAX_ISSUERS = 256

/**
 * A key set that does not hold the key a token names may be outdated: after so long it is got anew. Sooner, a
 * token with an invented key id would have the fetcher ask the issuer each time.
 */
const REFRESH_MS = 60_000

type Entry = { keys: readonly VerificationKey[]; learnedMs: number; untilMs: number }

/** What is asked for: an issuer's keys, the named one among them if there is such a one. */
export type KeyNeed = { issuer: string; keyId: string | undefined }

/**
 * Issuers' keys that the paired fetcher stated, as long as its statements hold. They are public and the same for
 * all organizations.
 */
export class IssuerKeys {
  readonly #entries = new RecentlyUsed<string, Entry>(MAX_ISSUERS)

  learn(issuer: string, keys: readonly VerificationKey[], times: { nowMs: number; untilMs: number }): void {
    const { nowMs, untilMs } = times
    this.#entries.set(issuer, { keys, learnedMs: nowMs, untilMs })
  }

  /** Undefined: the fetcher has to be asked. */
  find({ issuer, keyId }: KeyNeed, nowMs: number): readonly VerificationKey[] | undefined {
    const entry = this.#entries.get(issuer)
    if (entry === undefined || entry.untilMs <= nowMs) return undefined
    const isSettled = keyId === undefined || entry.keys.some((key) => key.keyId === keyId)
    return isSettled || nowMs - entry.learnedMs < REFRESH_MS ? entry.keys : undefined
  }
}
