import { create, fromBinary } from "@bufbuild/protobuf"
import {
  type PendingActivity,
  PendingActivitySchema,
} from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { HAS_HAD_PENDING } from "../state/ledger-keys.ts"
import type { ActivityOutcome } from "../steps/outcome.ts"

/** Organizations whose pending fingerprints are kept in memory. */
const MAX_INDEXED = 100_000

/** Pending activities of one organization: they never expire by themselves. */
const MAX_PENDING = 1000

/** Bytes of all of them together: they are read at once, while every other request waits. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024

/** Share of both limits kept for the root quorum: its members must be able to propose the removal of a user. */
const KEPT_FOR_ROOT = 0.1

/** Sizes of an organization's pending bodies, by fingerprint. `hasHadAny`: also activities that are now decided. */
type PendingIndex = { bytes: Map<string, number>; hasHadAny: boolean }

/** The pending activities. The ledger stores them; the index only saves look-ups. */
export class PendingActivities {
  readonly #ledger: Ledger
  readonly #index = new RecentlyUsed<string, PendingIndex>(MAX_INDEXED)

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  has(organizationId: string, fingerprint: string): boolean {
    return this.#indexOf(organizationId).bytes.has(fingerprint)
  }

  get(organizationId: string, fingerprint: string): PendingActivity | undefined {
    if (!this.has(organizationId, fingerprint)) return undefined
    const row = this.#ledger.row(organizationId, "pending", fingerprint)
    return row && fromBinary(PendingActivitySchema, row)
  }

  /** False: no activity of the organization was ever pending. */
  hasHadPending(organizationId: string): boolean {
    return this.#indexOf(organizationId).hasHadAny
  }

  /** Refuses one more pending activity of this size when there are too many. @throws LIMIT_EXCEEDED */
  requireRoom(organizationId: string, size: number, isOfRoot: boolean): void {
    const { bytes } = this.#indexOf(organizationId)
    const share = isOfRoot ? 1 : 1 - KEPT_FOR_ROOT
    if (bytes.size >= MAX_PENDING * share) {
      const sentence = `at most ${MAX_PENDING * share} activities of an organization wait for votes at once`
      throw refuse("LIMIT_EXCEEDED", sentence)
    }
    const all = [...bytes.values()].reduce((sum, one) => sum + one, size)
    const atMost = MAX_PENDING_BYTES * share
    if (all <= atMost) return
    const sentence = `activities of an organization that wait for votes have at most ${Math.floor(atMost)} bytes together`
    throw refuse("LIMIT_EXCEEDED", sentence)
  }

  /** Adds an activity to the index, after the ledger has stored it. */
  put(organizationId: string, fingerprint: string, size: number): void {
    const index = this.#indexOf(organizationId)
    index.bytes.set(fingerprint, size)
    index.hasHadAny = true
  }

  /** Removes an activity from the index, after the ledger has removed it. */
  remove(organizationId: string, fingerprint: string): void {
    this.#indexOf(organizationId).bytes.delete(fingerprint)
  }

  #indexOf(organizationId: string): PendingIndex {
    const known = this.#index.get(organizationId)
    if (known !== undefined) return known
    const rows = this.#ledger.rows(organizationId, "pending")
    const { kind, key } = HAS_HAD_PENDING
    const index = {
      bytes: new Map(rows.map((row) => [row.key, row.value.length] as const)),
      hasHadAny: this.#ledger.row(organizationId, kind, key) !== undefined,
    }
    this.#index.set(organizationId, index)
    return index
  }
}

/** A new pending activity, with its submission as the first vote. */
export function newPending(
  { activityId, organizationId, decidedAtMs, vote }: ActivityOutcome,
  body: Uint8Array,
): PendingActivity {
  const votes = vote === undefined ? [] : [vote]
  const createdAtMs = BigInt(decidedAtMs)
  return create(PendingActivitySchema, { activityId, organizationId, body, votes, createdAtMs })
}
