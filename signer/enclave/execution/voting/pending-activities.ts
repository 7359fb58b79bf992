import { fromBinary } from "@bufbuild/protobuf"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type PendingActivity,
  PendingActivitySchema,
} from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { fingerprintExpiry } from "../../../core/freshness.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { refuse } from "../../../core/refusal.ts"
import type { LedgerRow } from "../../ledger/ledger.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { HAS_HAD_PENDING } from "../state/ledger-keys.ts"
import { readFinished } from "../steps/finished.ts"

/** Organizations whose pending fingerprints are kept in memory. */
const MAX_INDEXED = 100_000

/** Pending activities of one organization: without the operator's setting they never expire. */
const MAX_PENDING = 1000

/** Bytes of all of them together: they are read at once, while every other request waits. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024

/** Share of both limits kept for the root quorum: its members must be able to propose the removal of a user. */
const KEPT_FOR_ROOT = 0.1

/** Size of a pending body, bytes, and the signer's time at its submission; 0 where nothing expires. */
type PendingEntry = { size: number; createdAtMs: number }

/** An organization's pending activities, by fingerprint. `hasHadAny`: also activities that are now decided. */
type PendingIndex = { entries: Map<string, PendingEntry>; hasHadAny: boolean }

type PendingDeps = Pick<ExecutionDeps, "ledger" | "limits" | "rollback">

/** The pending activities. The ledger stores them; the index only saves look-ups. */
export class PendingActivities {
  readonly #deps: PendingDeps
  readonly #index = new RecentlyUsed<string, PendingIndex>(MAX_INDEXED)

  constructor(deps: PendingDeps) {
    this.#deps = deps
  }

  has(organizationId: string, fingerprint: string): boolean {
    return this.#indexOf(organizationId).entries.has(fingerprint)
  }

  get(organizationId: string, fingerprint: string): PendingActivity | undefined {
    if (!this.has(organizationId, fingerprint)) return undefined
    const row = this.#deps.ledger.row(organizationId, "pending", fingerprint)
    return row && fromBinary(PendingActivitySchema, row)
  }

  /** False: no activity of the organization was ever pending. */
  hasHadPending(organizationId: string): boolean {
    return this.#indexOf(organizationId).hasHadAny
  }

  /** Refuses one more pending activity of this size when there are too many. @throws LIMIT_EXCEEDED */
  requireRoom(organizationId: string, size: number, isOfRoot: boolean): void {
    const { entries } = this.#indexOf(organizationId)
    const share = isOfRoot ? 1 : 1 - KEPT_FOR_ROOT
    if (entries.size >= MAX_PENDING * share) {
      const sentence = `at most ${MAX_PENDING * share} activities of an organization wait for votes at once`
      throw refuse("LIMIT_EXCEEDED", sentence)
    }
    const all = [...entries.values()].reduce((sum, one) => sum + one.size, size)
    const maxBytes = MAX_PENDING_BYTES * share
    if (all <= maxBytes) return
    const sentence = `activities of an organization that wait for votes have at most ${Math.floor(maxBytes)} bytes together`
    throw refuse("LIMIT_EXCEEDED", sentence)
  }

  /** Adds an activity to the index, after the ledger has stored it. */
  put(organizationId: string, fingerprint: string, entry: PendingEntry): void {
    const index = this.#indexOf(organizationId)
    index.entries.set(fingerprint, entry)
    index.hasHadAny = true
  }

  /** Removes an activity from the index, after the ledger has removed it. */
  remove(organizationId: string, fingerprint: string): void {
    this.#indexOf(organizationId).entries.delete(fingerprint)
  }

  /**
   * Ends the activities that have waited for as long as the operator allows, by the present setting and the
   * trusted time. Their bodies and places are free, and votes on them are refused ACTIVITY_EXPIRED.
   * @throws LEDGER_OLDER, LEDGER_FULL
   */
  async endExpired(organizationId: string, nowMs: number): Promise<void> {
    const { ledger, rollback } = this.#deps
    const expired = this.#expired(organizationId, nowMs)
    const head = expired.length > 0 ? ledger.head(organizationId) : undefined
    if (head === undefined) return
    rollback.requireNone()
    const { entries } = this.#indexOf(organizationId)
    // Creations of sub-organizations run side by side: only one of them ends an activity.
    for (const [fingerprint] of expired) entries.delete(fingerprint)
    const change = {
      organizationId,
      expect: head,
      head,
      put: expired.map(([fingerprint]) => expiredRow(fingerprint, nowMs)),
      remove: expired.map(([key]) => ({ kind: "pending", key }) as const),
    }
    try {
      await ledger.commit([change])
    } catch (error) {
      for (const [fingerprint, entry] of expired) entries.set(fingerprint, entry)
      throw error
    }
  }

  #expired(organizationId: string, nowMs: number): [fingerprint: string, PendingEntry][] {
    const lifetimeMs = lifetimeOf(this.#deps.limits)
    if (lifetimeMs === 0) return []
    const { entries } = this.#indexOf(organizationId)
    return [...entries].filter(([, { createdAtMs }]) => nowMs - createdAtMs >= lifetimeMs)
  }

  #entryOf(row: Uint8Array): PendingEntry {
    const mayExpire = lifetimeOf(this.#deps.limits) > 0
    const createdAtMs = mayExpire ? Number(fromBinary(PendingActivitySchema, row).createdAtMs) : 0
    return { size: row.length, createdAtMs }
  }

  #indexOf(organizationId: string): PendingIndex {
    const known = this.#index.get(organizationId)
    if (known !== undefined) return known
    const { ledger } = this.#deps
    const rows = ledger.rows(organizationId, "pending")
    const { kind, key } = HAS_HAD_PENDING
    const index = {
      entries: new Map(rows.map((row) => [row.key, this.#entryOf(row.value)] as const)),
      hasHadAny: ledger.row(organizationId, kind, key) !== undefined,
    }
    this.#index.set(organizationId, index)
    return index
  }
}

const HOUR_MS = 60 * 60 * 1000

/** The time an activity may wait for votes, milliseconds; 0: without limit. */
export function lifetimeOf({ pendingHours }: Pick<ExecutionDeps["limits"], "pendingHours">): number {
  return pendingHours * HOUR_MS
}

const EXPIRED = "ACTIVITY_EXPIRED"

/**
 * The fingerprint of an activity that ends now, kept while votes in progress may still be valid. Its own body is over an
 * hour old by then: the operator's setting has whole hours, and it was submitted at least so long ago.
 */
function expiredRow(key: string, nowMs: number): LedgerRow {
  const value = Buffer.from(`${ActivityStatus.FAILED} ${EXPIRED}`)
  return { kind: "fingerprint", key, value, expiresMs: fingerprintExpiry(nowMs) }
}

/**
 * Status of an activity by its `fingerprint` row: a finished activity's, or `<status number>`, followed by ` ACTIVITY_EXPIRED`
 * if it expired.
 */
export function readEnding(row: Uint8Array): { status: ActivityStatus; hasExpired: boolean } {
  const finished = readFinished(row)
  if (finished !== undefined) return { status: finished.status, hasExpired: false }
  const [status, cause] = Buffer.from(row).toString().split(" ")
  return { status: Number(status) as ActivityStatus, hasExpired: cause === EXPIRED }
}

/** The refusal of votes on it, and the failure that the API tier shows. */
export function activityExpired() {
  return refuse("ACTIVITY_EXPIRED", "the activity waited too long for votes and has expired: submit it again")
}
