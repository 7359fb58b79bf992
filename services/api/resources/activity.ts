import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { notFound } from "../errors.ts"
import { type ActivityRow, getActivity } from "../store/activities.ts"
import type { Database } from "../../database/database.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { type TimeForm, timeText } from "./time.ts"
import { type Viewer, voteRights } from "./vote-rights.ts"
import { voteText } from "./votes.ts"

/** The caller to whom an activity is shown, and the form of times in the reply. */
type ActivityView = Viewer & { times: TimeForm; isReadOnlySession: boolean }

/**
 * An activity as JSON text. Twelve members are always present, `failure` only after a failure, `appProofs` only if they
 * were requested. Text is joined because intent, result and proofs are stored in the form in which they are shown.
 */
export function activityText(row: ActivityRow, view: ActivityView): string {
  const { canApprove, canReject } = voteRights(row, row.votes, view)
  const voteTexts = row.votes.map((vote) => voteText(vote, row.id, view.organization))
  const createdAt = timeText(row.createdMs, view.times)
  const updatedAt = row.updatedMs === row.createdMs ? createdAt : timeText(row.updatedMs, view.times)
  return (
    `{"id":"${row.id}","organizationId":"${row.organizationId}","status":"${row.status}","type":"${row.type}",` +
    `"intent":${row.intent},"result":${resultText(row, view)},"votes":[${voteTexts.join()}],` +
    (row.appProofs === null ? "" : `"appProofs":${row.appProofs},`) +
    `"fingerprint":"${fingerprintText(row.fingerprint)}","canApprove":${canApprove},"canReject":${canReject},` +
    `"createdAt":${createdAt},"updatedAt":${updatedAt}` +
    `${row.failure === null ? "" : `,"failure":${row.failure}`}}`
  )
}

/**
 * The stored result, without the text of a read-only session. A holder of that text reads as its user, so only that user
 * sees it. A read-only session does not see it either: it could continue with a newer one's text.
 */
function resultText({ type, result, userId }: ActivityRow, view: ActivityView): string {
  if (result === null) return "{}"
  if (type !== "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION") return result
  if (view.userId === userId && !view.isReadOnlySession) return result
  const { createReadOnlySessionResult } = JSON.parse(result) as { createReadOnlySessionResult: object }
  return JSON.stringify({ createReadOnlySessionResult: { ...createReadOnlySessionResult, session: "" } })
}

/** @throws ApiError 404 */
export async function requireActivity(
  activityId: string,
  { sql, organization }: { sql: Database; organization: StoredOrganization },
): Promise<ActivityRow> {
  const row = await getActivity(sql, organization.id, activityId)
  if (row !== undefined) return row
  throw notFound(`no activity ${activityId} found in organization ${organization.id}`)
}

/** Body of every reply with one activity. */
export function activityReply(row: ActivityRow, view: ActivityView): string {
  return `{"activity":${activityText(row, view)}}`
}

/** The form of a fingerprint in replies and in votes. */
export function fingerprintText(fingerprint: Uint8Array): string {
  return `sha256:${Buffer.from(fingerprint.buffer, fingerprint.byteOffset, fingerprint.byteLength).toString("hex")}`
}

/** App proofs as they are stored with their activity; null if none were requested. */
export function appProofsText(appProofs: readonly AppProof[]): string | null {
  if (appProofs.length === 0) return null
  return JSON.stringify(
    appProofs.map(({ scheme, publicKey, proofPayload, signature }) => ({
      scheme,
      publicKey,
      proofPayload,
      signature,
    })),
  )
}
