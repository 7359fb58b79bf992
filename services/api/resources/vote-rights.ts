import type { ActivityRow } from "../store/activities.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { StoredVote } from "../store/stored-vote.ts"
import { liveVotes } from "./votes.ts"

/** A caller to whom an activity is shown. */
export type Viewer = {
  /** The activity's organization: its users are the voters. */
  organization: StoredOrganization
  /** The caller's id. A user of the parent organization is not found in this one, and cannot vote. */
  userId: string
  nowMs: number
}

/** Members canApprove and canReject of an activity. */
type VoteRights = { canApprove: boolean; canReject: boolean }

const NONE: VoteRights = { canApprove: false, canReject: false }

const PENDING: ReadonlySet<string> = new Set([
  "ACTIVITY_STATUS_CONSENSUS_NEEDED",
  "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
])

/** True if an activity waits for votes, or for MFA of its voters. */
export function isPending({ status }: Pick<ActivityRow, "status">): boolean {
  return PENDING.has(status)
}

/**
 * A user without a live vote can vote on a pending activity if they are in the root quorum or submitted it. So can a user whom
 * the signer named as a voter at the last vote. A user whose MFA is incomplete approves again. While the submitter's MFA is
 * incomplete, or the submitter was deleted, other users can only reject. For display, as of the last vote: the signer decides.
 */
export function voteRights(
  row: ActivityRow,
  votes: readonly StoredVote[],
  { organization, userId, nowMs }: Viewer,
): VoteRights {
  if (!isPending(row) || organization.user(userId) === undefined) return NONE
  const { voterIds = [], mfaStatuses = [] } = votes.at(-1) ?? {}
  const live = liveVotes(votes, nowMs)
  const hasVoted = (id: string) => live.some((vote) => vote.userId === id)
  const isMfaPending = (id: string) =>
    mfaStatuses.some((status) => status.userId === id && !(status.satisfied && hasVoted(id)))
  if (hasVoted(userId)) return { canApprove: isMfaPending(userId), canReject: false }
  const isVoter = organization.isRoot(userId) || userId === row.userId || voterIds.includes(userId)
  const isSubmissionComplete = organization.user(row.userId) !== undefined && !isMfaPending(row.userId)
  const mayApprove = userId === row.userId || isSubmissionComplete
  return { canApprove: isVoter && mayApprove, canReject: isVoter }
}
