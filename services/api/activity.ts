import { type TimeForm, timeText } from "./activity-times.ts"
import type { Organization } from "./organization.ts"
import type { ActivityRow } from "./store/activities.ts"
import { liveVotes, readVotes, type StoredVote, voteText } from "./votes.ts"

/** Who looks at an activity, and how he wants times written. */
export type Viewer = {
  /** The organization of the activity: its users are the voters. */
  organization: Organization
  /** The caller. A user of the parent is nobody here: he cannot vote. */
  userId: string
  times: TimeForm
  nowMs: number
}

const WAITS = "ACTIVITY_STATUS_CONSENSUS_NEEDED"

/**
 * An activity as JSON text: the twelve members are always there, `failure` only where there is one, `appProofs` only
 * where they were asked for. Text is joined rather than built as objects, for intent, result and proofs are stored as
 * they are shown.
 */
export function activityText(row: ActivityRow, viewer: Viewer): string {
  const votes = readVotes(row.votes)
  const mayVote = canVote(row, votes, viewer)
  const voteTexts = votes.map((vote) => voteText(vote, row.id, viewer.organization))
  return (
    `{"id":"${row.id}","organizationId":"${row.organizationId}","status":"${row.status}","type":"${row.type}",` +
    `"intent":${row.intent},"result":${row.result ?? "{}"},"votes":[${voteTexts.join()}],` +
    (row.appProofs === null ? "" : `"appProofs":${row.appProofs},`) +
    `"fingerprint":"${fingerprintText(row.fingerprint)}","canApprove":${mayVote},"canReject":${mayVote},` +
    `"createdAt":${timeText(row.createdMs, viewer.times)},"updatedAt":${timeText(row.updatedMs, viewer.times)}` +
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

/**
 * Whether a vote of the viewer would count: somebody waits for it, he has none that counts, and he is of the root
 * quorum or one of those whom the signer named after the last vote. For display alone, and as old as that vote: the
 * signer judges anew whoever votes.
 */
function canVote(row: ActivityRow, votes: StoredVote[], { organization, userId, nowMs }: Viewer): boolean {
  if (row.status !== WAITS || organization.user(userId) === undefined) return false
  const isAwaited = organization.isRoot(userId) || votes.at(-1)?.voterIds?.includes(userId) === true
  return isAwaited && !liveVotes(votes, nowMs).some((vote) => vote.userId === userId)
}
