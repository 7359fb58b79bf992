import { VOTE_LIFETIME_MS } from "../../../../signer/core/liveness.ts"
import type { Activity } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { nameOf, type Organization } from "../../api/directory.ts"
import { statusOf, WAITING } from "../../words/activity.ts"
import { msOf, relativeTime } from "../../words/time.ts"
import { Facts, Notice } from "../../ui/basics.tsx"

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
  return (
    <Notice tone="warn">
      <Facts
        facts={[
          ["Votes", `${activity.votes.length} so far`],
          [
            "Can still vote",
            voters.length > 0 ? voters.join(", ") : data === undefined ? "…" : "the root quorum alone",
          ],
          ["Root quorum", quorum.join(", ")],
          ["Why it waits", data?.reason ?? ""],
          [
            "Each vote lapses",
            `${relativeTime(msOf(activity.createdAt) + VOTE_LIFETIME_MS, Date.now())} for the first one`,
          ],
        ]}
      />
    </Notice>
  )
}
