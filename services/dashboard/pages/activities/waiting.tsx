import { VOTE_LIFETIME_MS } from "../../../../signer/core/liveness.ts"
import type { Activity } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { nameOf, type Organization } from "../../api/directory.ts"
import { statusOf, WAITING } from "../../words/activity.ts"
import { count, listOf, msOf, relativeTime } from "../../words/time.ts"
import { Notice } from "../../ui/basics.tsx"

/** What an activity waits for: who can still vote, why, and when the first vote lapses. */
export function Waiting({
  activity,
  organization,
}: {
  activity: Activity
  organization: Organization | undefined
}) {
  const isWaiting = WAITING.includes(activity.status)
  const state = useQuery<{ voterIds: string[]; reason: string }>(
    isWaiting ? "simulate_policies" : undefined,
    { activityId: activity.id },
  )
  if (!isWaiting)
    return (
      <Notice tone={statusOf(activity.status)[1]}>
        <p>It waits no longer.</p>
      </Notice>
    )
  const { data } = state
  const voters = data?.voterIds.map((id) => nameOf(organization, id) ?? id) ?? []
  const quorum = organization?.rootQuorum.userIds.map((id) => nameOf(organization, id) ?? id) ?? []
  const lapse = relativeTime(msOf(activity.createdAt) + VOTE_LIFETIME_MS, Date.now())
  return (
    <Notice tone="warn">
      <p>
        <b>{count(activity.votes.length, "vote")} so far.</b> The first one lapses {lapse}.
      </p>
      {data !== undefined && (
        <p>
          {voters.length > 0 ? `${listOf(voters)} can still vote, and the` : "Only the"} root quorum
          {quorum.length > 0 && <span class="quiet"> ({quorum.join(", ")})</span>}
          {voters.length > 0 ? "." : " can still vote."}
        </p>
      )}
      {data?.reason && <p class="quiet small">{data.reason}</p>}
    </Notice>
  )
}
