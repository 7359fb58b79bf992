import { type TimeForm, timeText } from "./activity-times.ts"
import type { Organization } from "../authentication/stored-organization.ts"
import type { ActivityRow } from "../store/activities.ts"
import { voteRights } from "./vote-rights.ts"
import { readVotes, voteText } from "./votes.ts"

/** Who looks at an activity, and how he wants times written. */
export type Viewer = {
  /** The organization of the activity: its users are the voters. */
  organization: Organization
  /** The caller. A user of the parent is nobody here: he cannot vote. */
  userId: string
  times: TimeForm
  nowMs: number
}

/**
 * An activity as JSON text: the twelve members are always there, `failure` only where there is one, `appProofs` only
 * where they were asked for. Text is joined rather than built as objects, for intent, result and proofs are stored as
 * they are shown.
 */
export function activityText(row: ActivityRow, viewer: Viewer): string {
  const votes = readVotes(row.votes)
  const { canApprove, canReject } = voteRights(row, votes, viewer)
  const voteTexts = votes.map((vote) => voteText(vote, row.id, viewer.organization))
  const createdAt = timeText(row.createdMs, viewer.times)
  const updatedAt = row.updatedMs === row.createdMs ? createdAt : timeText(row.updatedMs, viewer.times)
  return (
    `{"id":"${row.id}","organizationId":"${row.organizationId}","status":"${row.status}","type":"${row.type}",` +
    `"intent":${row.intent},"result":${row.result ?? "{}"},"votes":[${voteTexts.join()}],` +
    (row.appProofs === null ? "" : `"appProofs":${row.appProofs},`) +
    `"fingerprint":"${fingerprintText(row.fingerprint)}","canApprove":${canApprove},"canReject":${canReject},` +
    `"createdAt":${createdAt},"updatedAt":${updatedAt}` +
    `${row.failure === null ? "" : `,"failure":${row.failure}`}}`
  )
}

/** Body of every reply that carries one activity. */
export function activityReply(row: ActivityRow, viewer: Viewer): string {
  return `{"activity":${activityText(row, viewer)}}`
}

/** The name by which an activity is voted on. */
export function fingerprintText(fingerprint: Uint8Array): string {
  return `sha256:${Buffer.from(fingerprint.buffer, fingerprint.byteOffset, fingerprint.byteLength).toString("hex")}`
}
