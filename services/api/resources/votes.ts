import type { StoredOrganization } from "../store/stored-organization.ts"
import type { StoredVote } from "../store/stored-vote.ts"
import { VOTE_LIFETIME_MS } from "../../../signer/core/freshness.ts"
import { timeText } from "./time.ts"
import { userText } from "./user.ts"

/**
 * Votes that have not expired. They expire together, a day after the first of them; the next vote starts a new day. The
 * signer applies the same rule itself.
 */
export function liveVotes(votes: readonly StoredVote[], nowMs: number): StoredVote[] {
  let live: StoredVote[] = []
  for (const vote of votes) {
    if (hasLapsed(live, vote.createdMs)) live = []
    live.push(vote)
  }
  return hasLapsed(live, nowMs) ? [] : live
}

function hasLapsed(live: readonly StoredVote[], nowMs: number): boolean {
  const [first] = live
  return first !== undefined && nowMs - first.createdMs >= VOTE_LIFETIME_MS
}

/** A vote as JSON text. Message, key, signature and scheme are enough to verify its stamp again. */
export function voteText(vote: StoredVote, activityId: string, organization: StoredOrganization): string {
  return (
    `{"id":"${vote.id}","userId":"${vote.userId}","user":${userText(organization, vote.userId)},` +
    `"activityId":"${activityId}","selection":"${vote.selection}","message":${JSON.stringify(vote.message)},` +
    `"publicKey":"${vote.publicKey}","signature":${JSON.stringify(vote.signature)},"scheme":"${vote.scheme}",` +
    `"createdAt":${timeText(vote.createdMs, "object")}}`
  )
}
