import { create, fromBinary } from "@bufbuild/protobuf"
import {
  type PendingActivity,
  PendingActivitySchema,
} from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { refuse } from "../../../core/refusal.ts"
import { HAS_HAD_PENDING } from "../state/ledger-keys.ts"
import type { Case } from "../steps/authenticated-request.ts"
import type { Settlement } from "../steps/outcome.ts"

/** Organizations whose waiting fingerprints are kept in memory. */
const MAX_INDEXED = 100_000

/** Activities of one organization that may wait for votes: they never expire by themselves. */
const MAX_WAITING = 1000

/** Bytes that all of them may have together: they are read at once, and everybody else waits meanwhile. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024

/** What users outside the root quorum leave of both: its members must be able to propose who has to go. */
const KEPT_FOR_ROOT = 0.1

/** `bytes`: by fingerprint, about the size of its row. */
type Waiting = { bytes: Map<string, number>; ever: boolean }

/** The activities that wait for votes. The ledger holds them; the index only saves look-ups in it. */
export class PendingActivities {
  readonly #ledger: Ledger
  readonly #index = new RecentlyUsed<string, Waiting>(MAX_INDEXED)

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  has(organizationId: string, fingerprint: string): boolean {
    return this.#waiting(organizationId).bytes.has(fingerprint)
  }

  get(organizationId: string, fingerprint: string): PendingActivity | undefined {
    if (!this.has(organizationId, fingerprint)) return undefined
    const row = this.#ledger.row(organizationId, "pending", fingerprint)
    return row && fromBinary(PendingActivitySchema, row)
  }

  /** False: no activity of the organization ever waited, so none that did can be meant. */
  mayHaveWaited(organizationId: string): boolean {
    return this.#waiting(organizationId).ever
  }

  /** Whether one more may wait, of this many bytes. @throws LIMIT_EXCEEDED */
  requireRoom(organizationId: string, size: number, isOfRoot: boolean): void {
    const { bytes } = this.#waiting(organizationId)
    const share = isOfRoot ? 1 : 1 - KEPT_FOR_ROOT
    if (bytes.size >= MAX_WAITING * share) {
      const sentence = `at most ${MAX_WAITING * share} activities of an organization wait for votes at once`
      throw refuse("LIMIT_EXCEEDED", sentence)
    }
    const all = [...bytes.values()].reduce((sum, one) => sum + one, size)
    if (all <= MAX_WAITING_BYTES * share) return
    const sentence = `activities of an organization that wait for votes have at most ${Math.floor(MAX_WAITING_BYTES * share)} bytes together`
    throw refuse("LIMIT_EXCEEDED", sentence)
  }

  /** To be called once the ledger has it. */
  put(organizationId: string, fingerprint: string, size: number): void {
    const waiting = this.#waiting(organizationId)
    waiting.bytes.set(fingerprint, size)
    waiting.ever = true
  }

  /** To be called once the ledger has it no more. */
  remove(organizationId: string, fingerprint: string): void {
    this.#waiting(organizationId).bytes.delete(fingerprint)
  }

  #waiting(organizationId: string): Waiting {
    const known = this.#index.get(organizationId)
    if (known !== undefined) return known
    const waiting = {
      bytes: new Map(
        this.#ledger.rows(organizationId, "pending").map(({ key, value }) => [key, value.length] as const),
      ),
      ever: this.#ledger.row(organizationId, HAS_HAD_PENDING.kind, HAS_HAD_PENDING.key) !== undefined,
    }
    this.#index.set(organizationId, waiting)
    return waiting
  }
}

/** An activity that begins to wait, with its submission as the first vote. */
export function newPending(settlement: Settlement, { request, nowMs }: Case): PendingActivity {
  return create(PendingActivitySchema, {
    activityId: settlement.activityId,
    organizationId: settlement.organizationId,
    body: request.body,
    votes: [settlement.vote],
    createdAtMs: BigInt(nowMs),
  })
}
