import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { nameOf, type ListedOrganization } from "../api/directory.ts"
import { statusOf, WAITING } from "../words/activity.ts"
import { count, exactTime, listOf, relativeTime } from "../words/time.ts"
import { votesLapseMs } from "../words/votes.ts"
import { Notice } from "./basics.tsx"

/** The state of a waiting activity: who can still vote, why it waits, and when the votes lapse. */
export function Waiting({
  activity,
  organization,
}: {
  activity: WholeActivityJson
  organization: ListedOrganization | undefined
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
        <b>{count(activity.votes.length, "vote")} so far.</b> {endOfVotes(activity)}
      </p>
      {data !== undefined && (
        <p>
          {voters.length > 0 ? `${listOf(voters)} can still vote, and so can the` : "Only the"} root quorum
          {quorum.length > 0 && <span class="quiet"> ({quorum.join(", ")})</span>}
          {voters.length > 0 ? "." : " can still vote."}
        </p>
      )}
      {data?.reason && <p class="quiet small">{sentenceOf(data.reason)}</p>}
    </Notice>
  )
}

/** Votes that count end together, a day after the first of them. */
function endOfVotes({ votes }: WholeActivityJson): string {
  const nowMs = Date.now()
  const lapseMs = votesLapseMs(votes, nowMs)
  if (lapseMs === undefined) return "None of them counts any more: users who approved have to approve again."
  const they = votes.length === 1 ? "It counts" : "They count"
  return `${they} until ${exactTime(lapseMs)}, ${relativeTime(lapseMs, nowMs)}.`
}

/** A reason as a sentence of its own. */
function sentenceOf(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${reason.endsWith(".") ? "" : "."}`
}
