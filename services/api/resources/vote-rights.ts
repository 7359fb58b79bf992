import type { Viewer } from "./activity.ts"
import type { ActivityRow } from "../store/activities.ts"
import { liveVotes, type StoredVote } from "./votes.ts"

/** Whether it makes sense for a viewer to vote on an activity. */
export type VoteRights = { canApprove: boolean; canReject: boolean }

const NONE: VoteRights = { canApprove: false, canReject: false }

const WAITING: ReadonlySet<string> = new Set([
  "ACTIVITY_STATUS_CONSENSUS_NEEDED",
  "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
])

/** Whether an activity waits for votes, or for more proof of who voted. */
export function isWaiting({ status }: Pick<ActivityRow, "status">): boolean {
  return WAITING.has(status)
}

/**
 * A vote makes sense while the activity waits, the viewer has none that counts, and he is of the root quorum or one of
 * those whom the signer named after the last vote. Whoever has approved and must prove more approves again; while it is
 * the submitter, what he proved has lapsed, or he is gone, others can only reject. For display alone, and as old as the
 * last vote: the signer judges anew.
 */
export function voteRights(
  row: ActivityRow,
  votes: readonly StoredVote[],
  { organization, userId, nowMs }: Viewer,
): VoteRights {
  if (!isWaiting(row) || organization.user(userId) === undefined) return NONE
  const { voterIds = [], mfaStatuses = [] } = votes.at(-1) ?? {}
  const live = liveVotes(votes, nowMs)
  const hasVoted = (id: string) => live.some((vote) => vote.userId === id)
  const isOpen = (id: string) =>
    mfaStatuses.some((status) => status.userId === id && !(status.satisfied && hasVoted(id)))
  if (hasVoted(userId)) return { canApprove: isOpen(userId), canReject: false }
  const isAwaited = organization.isRoot(userId) || voterIds.includes(userId)
  const isCertain = organization.user(row.userId) !== undefined && !isOpen(row.userId)
  const mayApprove = userId === row.userId || isCertain
  return { canApprove: isAwaited && mayApprove, canReject: isAwaited }
}
