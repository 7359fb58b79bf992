import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Ledger, LedgerRow, RowName, SideChange } from "../ledger/ledger.ts"
import type { Organization } from "../organization/organization.ts"
import { refuse } from "../refusal.ts"
import { sideBook } from "./identity-register.ts"
import { forgettableAt } from "./liveness.ts"
import type { Request } from "./request.ts"
import type { Settlement } from "./settlement.ts"

/** What is noted of a body so that it never runs again. */
export type Noted = {
  request: Request
  settlement: Settlement
  /** Where: see `fingerprintBook`. */
  book: string
  /** The activity waited before this order, or goes on waiting: it is noted for good. */
  everWaited: boolean
  /** The order is the first that brings this activity about. */
  isFirst: boolean
}

/**
 * The book that keeps a body's fingerprint: of the organization that the body names. A login that names a parent
 * may be for any of its sub-organizations; which one it was for must not matter when the same body comes again, so
 * its fingerprint stands in a side book of the parent, one of many for the sake of a million users.
 */
export function fingerprintBook({ activity, fingerprint }: Request, named: Organization): string {
  const mayBeForAnother = activity.authority === Authority.LOGIN && named.document.parentId === ""
  return mayBeForAnother ? sideBook(named.id, fingerprint) : named.id
}

/** @throws ACTIVITY_REPLAYED */
export function requireNew({ fingerprint }: Request, book: string, ledger: Ledger): void {
  if (ledger.row(book, "fingerprint", fingerprint) === undefined) return
  throw refuse("ACTIVITY_REPLAYED", `this body was already carried out: sha256:${fingerprint}`)
}

/** Rows that note an order, and those that must not be there before: a body runs once. */
export function noteFingerprints(noted: Noted): Required<Pick<SideChange, "put" | "mustBeAbsent">> {
  const { request, settlement, everWaited, isFirst } = noted
  const { fingerprint } = request
  const { activityFingerprint } = settlement
  const expiry = { expiresMs: forgettableAt(request.timestampMs) }
  const value = Buffer.from(String(settlement.status))
  const put: LedgerRow[] = [
    { kind: "fingerprint", key: activityFingerprint, value, ...(everWaited ? {} : expiry) },
  ]
  const isVoteOfItsOwn = fingerprint !== activityFingerprint
  if (isVoteOfItsOwn)
    put.push({ kind: "fingerprint", key: fingerprint, value: Buffer.from("VOTE"), ...expiry })
  const mustBeAbsent: RowName[] = isFirst || isVoteOfItsOwn ? [{ kind: "fingerprint", key: fingerprint }] : []
  return { put, mustBeAbsent }
}
