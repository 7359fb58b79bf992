import { Authority, Consequence } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { PendingActivity } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { Ledger, LedgerRow, RowName, IndexChange } from "../../ledger/ledger.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { Keyring } from "../../provision/keyring.ts"
import { refuse } from "../../../core/refusal.ts"
import { indexShard } from "../state/identity-register.ts"
import { fingerprintDigest } from "../state/ledger-keys.ts"
import { forgettableAt, settledForgettableAt } from "../../../core/liveness.ts"
import { readBody, type Request } from "../state/request.ts"
import type { Settlement } from "./outcome.ts"

/** What is noted of a body so that it never runs again. */
export type Noted = {
  request: Request
  settlement: Settlement
  /** The activity as it waited before this order; undefined: the order is the first that brings it about. */
  waited: PendingActivity | undefined
  /** It goes on waiting. */
  waits: boolean
}

/**
 * The book that keeps the fingerprint of a body that runs at once: that of the organization which the body names. Two
 * kinds stand in a side book of it, one of many, for they come by the million: what founds sub-organizations, and
 * logins that name a parent. Which sub-organization such a login was for must not matter when the same body comes
 * again. What waits for votes always stands in the organization's own book.
 */
export function fingerprintBook(
  { activity, fingerprint }: Request,
  named: Organization,
  keyring: Pick<Keyring, "identity">,
): string {
  const isFamilyLogin = activity.authority === Authority.LOGIN && named.document.parentId === ""
  const comesByTheMillion = isFamilyLogin || activity.consequence === Consequence.CREATES_ORGANIZATION
  return comesByTheMillion ? indexShard(named.id, fingerprintDigest(keyring, fingerprint)) : named.id
}

/** Looks into both books where a fingerprint may stand. @throws ACTIVITY_REPLAYED */
export function requireNew({ organizationId, fingerprint }: Request, book: string, ledger: Ledger): void {
  const books = new Set([book, organizationId])
  const isKnown = [...books].some((name) => ledger.row(name, "fingerprint", fingerprint) !== undefined)
  if (isKnown) throw refuse("ACTIVITY_REPLAYED", `this body was already carried out: sha256:${fingerprint}`)
}

/** Rows that note an order, and those that must not be there before: a body runs once. */
export function noteFingerprints(noted: Noted): Required<Pick<IndexChange, "put" | "mustBeAbsent">> {
  const { request, settlement, waited } = noted
  const { fingerprint } = request
  const { activityFingerprint } = settlement
  const value = Buffer.from(String(settlement.status))
  const put: LedgerRow[] = [{ kind: "fingerprint", key: activityFingerprint, value, ...expiryOf(noted) }]
  const isVoteOfItsOwn = fingerprint !== activityFingerprint
  if (isVoteOfItsOwn) {
    const expiresMs = forgettableAt(request.timestampMs)
    put.push({ kind: "fingerprint", key: fingerprint, value: Buffer.from("VOTE"), expiresMs })
  }
  const isFirst = waited === undefined
  const mustBeAbsent: RowName[] = isFirst || isVoteOfItsOwn ? [{ kind: "fingerprint", key: fingerprint }] : []
  return { put, mustBeAbsent }
}

/** Of the activity's own fingerprint: none while it waits, for what waits may do so for ever. */
function expiryOf({ request, settlement, waited, waits }: Noted): { expiresMs?: number } {
  if (waits) return {}
  if (waited === undefined) return { expiresMs: forgettableAt(request.timestampMs) }
  const { timestampMs } = readBody(waited.body)
  return { expiresMs: settledForgettableAt(timestampMs, Number(settlement.vote.createdAtMs)) }
}
