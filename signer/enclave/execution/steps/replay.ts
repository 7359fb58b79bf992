import { create, toBinary } from "@bufbuild/protobuf"
import { Authority, Consequence } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Outcome } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecoveredOutcomeSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { PendingActivity, Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { fingerprintExpiry, outcomeFingerprintExpiry } from "../../../core/freshness.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import { MAX_MESSAGE_BYTES } from "../../../core/wire.ts"
import { OUTCOMES, type IndexChange, type Ledger, type LedgerRow } from "../../ledger/ledger.ts"
import type { Keyring } from "../../provision/keyring.ts"
import { indexShard } from "../state/identity-register.ts"
import { fingerprintDigest } from "../state/ledger-keys.ts"
import type { StampedRequest } from "../state/request.ts"
import { type LogDeps, readRecovered } from "./log-decision.ts"
import { readFinished, writeFinished } from "./finished.ts"
import { type ActivityOutcome, isPending } from "./outcome.ts"

/** A pending activity as stored, and the time its body was stamped. */
export type PendingState = { readonly stored: PendingActivity; readonly timestampMs: number }

/**
 * The ledger shard for the fingerprint of a body that runs at once. It is the rows of the organization that the body
 * names, except for very frequent bodies: activities that create sub-organizations, and logins that name a
 * parent. Their fingerprints go to index shards of the named organization, whichever sub-organization a login was for.
 * Fingerprints of pending activities always stay in the organization's own rows.
 */
export function fingerprintShard(
  { organizationId, activity, fingerprint }: StampedRequest,
  { id, document }: Organization,
  keyring: Pick<Keyring, "identity">,
): string {
  const namesParent = id !== organizationId || document.parentId === ""
  const isFamilyLogin = activity.authority === Authority.LOGIN && namesParent
  const isFrequent = isFamilyLogin || activity.consequence === Consequence.CREATES_ORGANIZATION
  return isFrequent ? indexShard(organizationId, fingerprintDigest(keyring, fingerprint)) : organizationId
}

/** A body that was carried out. `replayed`: the ledger's row of the activity, for its submitter alone. */
export type ReplayedBody = { readonly refusal: Refusal; readonly replayed: Outcome | undefined }

export function isReplayed(value: object): value is ReplayedBody {
  return "replayed" in value
}

/**
 * The refusal of a body whose fingerprint the shard or the organization's own rows have; undefined: the body is new.
 * @param userId the user who stamped the request
 */
export function findReplayed(
  { organizationId, fingerprint }: StampedRequest,
  shard: string,
  ledger: Ledger,
  userId: string,
): ReplayedBody | undefined {
  for (const name of new Set([shard, organizationId])) {
    const row = ledger.row(name, "fingerprint", fingerprint)
    if (row === undefined) continue
    const outcome = readFinished(row)
    const refusal = refuse("ACTIVITY_REPLAYED", `this body was already carried out: sha256:${fingerprint}`)
    return { refusal, replayed: outcome?.decision?.userId === userId ? outcome : undefined }
  }
  return undefined
}

/**
 * Rows that keep a body from running twice: of the activity, and of a vote with a body of its own. Several users may
 * stamp one body of a vote, so that its row names the credential too.
 */
export function recordFingerprints(
  request: StampedRequest,
  outcome: ActivityOutcome,
  pending: PendingState | undefined,
): Required<Pick<IndexChange, "put" | "mustBeAbsent">> {
  const { fingerprint, timestampMs, stamp } = request
  const { activityFingerprint, opened } = outcome
  const value = isPending(outcome.status)
    ? Buffer.from(String(outcome.status))
    : writeFinished(outcome, pending?.stored.votes[0])
  const put: LedgerRow[] = [
    { kind: "fingerprint", key: activityFingerprint, value, ...expiryOf(request, outcome, pending) },
  ]
  if (fingerprint === activityFingerprint)
    return { put, mustBeAbsent: opened ? [{ kind: "fingerprint", key: fingerprint }] : [] }
  const vote = { kind: "fingerprint", key: `${fingerprint}/${stamp.credential}` } as const
  put.push({ ...vote, value: Buffer.from("VOTE"), expiresMs: fingerprintExpiry(timestampMs) })
  return { put, mustBeAbsent: [vote] }
}

/** Expiry of the activity's own fingerprint: none while it is pending, which may be for ever. */
function expiryOf(
  { timestampMs }: StampedRequest,
  { status, decidedAtMs }: ActivityOutcome,
  pending: PendingState | undefined,
): { expiresMs?: number } {
  if (isPending(status)) return {}
  if (pending === undefined) return { expiresMs: fingerprintExpiry(timestampMs) }
  return { expiresMs: outcomeFingerprintExpiry(pending.timestampMs, decidedAtMs) }
}

/** Largest stored outcome with its body, bytes: a message of the API tier holds it and its envelope. */
const MAX_OUTCOME_BYTES = MAX_MESSAGE_BYTES - 64 * 1024

/** The earlier outcome of the same body and credential, until it is acknowledged. */
export function recoverOutcome(request: StampedRequest, deps: LogDeps): Outcome | undefined {
  const { organizationId, fingerprint, stamp } = request
  const row = deps.ledger.row(OUTCOMES, "outcome", outcomeKey(organizationId, fingerprint, stamp.credential))
  return row && readRecovered(row, deps).outcome
}

/**
 * Key of an outcome that waits for its acknowledgement. It is in a shard of all organizations, so that Recover finds all of
 * them after a crash. It names the credential: another user's identical body is a vote with an outcome of its own.
 */
export function outcomeKey(organizationId: string, fingerprint: string, credential: string): string {
  return `${organizationId}/${fingerprint}/${credential}`
}

/**
 * The row that returns the same outcome until the API tier acknowledges it. Outcomes larger than one message are
 * refused: Recover could never deliver them, and they would block all later ones.
 * @throws OUTCOME_TOO_LARGE
 */
export function recoveryRow(outcome: Outcome, vote: Vote | undefined, request: StampedRequest): LedgerRow {
  const { organizationId, fingerprint, stamp, body } = request
  const recovered = { outcome, body, ...(vote?.stamp && { stamp: vote.stamp }) }
  const value = toBinary(RecoveredOutcomeSchema, create(RecoveredOutcomeSchema, recovered))
  if (value.length > MAX_OUTCOME_BYTES) {
    const sentence = `the outcome and the body are over ${MAX_OUTCOME_BYTES} bytes together: ask for less at once`
    throw refuse("OUTCOME_TOO_LARGE", sentence)
  }
  return { kind: "outcome", key: outcomeKey(organizationId, fingerprint, stamp.credential), value }
}
