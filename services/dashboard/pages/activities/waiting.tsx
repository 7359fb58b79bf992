import type { Activity } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { nameOf, type Organization } from "../../api/directory.ts"
import { statusOf, WAITING } from "../../words/activity.ts"
import { count, listOf, relativeTime } from "../../words/time.ts"
import { votesLapseMs } from "../../words/votes.ts"
import { Notice } from "../../ui/basics.tsx"

/** The state of a waiting activity: who can still vote, why it waits, and when the votes lapse. */
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
  return (
    <Notice tone="warn">
      <p>
        <b>{count(activity.votes.length, "vote")} so far.</b> {lapseOf(activity)}
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

function lapseOf({ votes }: Activity): string {
  const nowMs = Date.now()
  const lapseMs = votesLapseMs(votes, nowMs)
  return lapseMs === undefined ? "None counts now." : `All that count lapse ${relativeTime(lapseMs, nowMs)}.`
}
