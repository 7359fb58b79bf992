import type { VerificationKey } from "../../../core/oidc/keys.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"

/** Issuers whose keys are kept. */
const MAX_ISSUERS = 256

/**
 * Least age of a key set before it is fetched again because it lacks the key that a token names. Without it, tokens
 * with invented key ids would make the fetcher ask the issuer each time.
 */
const REFRESH_MS = 60_000

type Entry = { keys: readonly VerificationKey[]; learnedMs: number; untilMs: number }

/** An issuer's keys, among them the named key if the issuer has it. */
export type KeyNeed = { issuer: string; keyId: string | undefined }

/** Keys of issuers as the paired fetcher stated them, until its statements expire. All organizations share them. */
export class IssuerKeys {
  readonly #entries = new RecentlyUsed<string, Entry>(MAX_ISSUERS)

  learn(issuer: string, keys: readonly VerificationKey[], times: { nowMs: number; untilMs: number }): void {
    const { nowMs, untilMs } = times
    this.#entries.set(issuer, { keys, learnedMs: nowMs, untilMs })
  }

  /** Undefined when the fetcher must be asked. */
  find({ issuer, keyId }: KeyNeed, nowMs: number): readonly VerificationKey[] | undefined {
    const entry = this.#entries.get(issuer)
    if (entry === undefined || entry.untilMs <= nowMs) return undefined
    const hasKey = keyId === undefined || entry.keys.some((key) => key.keyId === keyId)
    return hasKey || nowMs - entry.learnedMs < REFRESH_MS ? entry.keys : undefined
  }
}
