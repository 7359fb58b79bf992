import { STATEMENT_LIFETIME_MS } from "../../../core/fetch-orders/order.ts"
import type { VerificationKey } from "../../../core/oidc/keys.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { DEPLOYMENT, type Ledger } from "../../ledger/ledger.ts"
import type { Keyring } from "../../provision/keyring.ts"
import { indexShard } from "./identity-register.ts"
import { issuerRowKey } from "./ledger-keys.ts"

/** Issuers whose keys are kept. */
const MAX_ISSUERS = 256

/**
 * Least age of a key set before it is fetched again because it lacks the key that a token names. Without it, tokens
 * with invented key ids would make the fetcher ask the issuer each time.
 */
const REFRESH_MS = 60_000

type Entry = { keys: readonly VerificationKey[]; fetchedAtMs: number; learnedMs: number; untilMs: number }

/** An issuer's keys, among them the named key if the issuer has it. One without id may be every key. */
export type KeyNeed = { issuer: string; keyId: string | undefined }

/**
 * Keys of issuers as the paired fetcher stated them, until its statements expire. All organizations share them. The
 * ledger has the time of each issuer's newest statement. An older one that the API tier held back therefore brings no
 * withdrawn key back, also after a restart.
 */
export class IssuerKeyStore {
  readonly #ledger: Ledger
  readonly #keyring: Keyring
  readonly #entries = new RecentlyUsed<string, Entry>(MAX_ISSUERS)

  constructor(ledger: Ledger, keyring: Keyring) {
    this.#ledger = ledger
    this.#keyring = keyring
  }

  /** False: a newer statement about the issuer was learned before, and nothing changes. */
  learn(
    issuer: string,
    keys: readonly VerificationKey[],
    { fetchedAtMs, nowMs, untilMs }: { fetchedAtMs: number; nowMs: number; untilMs: number },
  ): boolean {
    const newestMs = this.#newestMs(issuer)
    if (fetchedAtMs < newestMs) return false
    this.#entries.set(issuer, { keys, fetchedAtMs, learnedMs: nowMs, untilMs })
    if (fetchedAtMs > newestMs) this.#store(issuer, fetchedAtMs)
    return true
  }

  /** Undefined when the fetcher must be asked. */
  find({ issuer, keyId }: KeyNeed, nowMs: number): readonly VerificationKey[] | undefined {
    const entry = this.#entries.get(issuer)
    if (entry === undefined || entry.untilMs <= nowMs) return undefined
    const hasKey = keyId === undefined || entry.keys.some((key) => key.keyId === keyId || key.keyId === "")
    return hasKey || nowMs - entry.learnedMs < REFRESH_MS ? entry.keys : undefined
  }

  #newestMs(issuer: string): number {
    const known = this.#entries.get(issuer)
    if (known !== undefined) return known.fetchedAtMs
    const key = issuerRowKey(this.#keyring, issuer)
    const row = this.#ledger.row(indexShard(DEPLOYMENT, key), "issuer", key)
    return row === undefined ? 0 : Number(Buffer.from(row).readBigUInt64BE())
  }

  /**
   * The request that brought the statement commits after this, in the same transaction. On a full disk both fail. Once
   * the row expires, every older statement has expired too.
   */
  #store(issuer: string, fetchedAtMs: number): void {
    const key = issuerRowKey(this.#keyring, issuer)
    const value = Buffer.alloc(8)
    value.writeBigUInt64BE(BigInt(fetchedAtMs))
    const expiresMs = fetchedAtMs + STATEMENT_LIFETIME_MS
    const row = { kind: "issuer", key, value, expiresMs } as const
    this.#ledger.commit([], [{ shard: indexShard(DEPLOYMENT, key), put: [row] }]).catch(() => {})
  }
}
