import { VOTE_LIFETIME_MS } from "../../../signer/core/liveness.ts"
import { useQuery } from "../api/data.ts"
import type { Activity } from "../api/client.ts"
import { nameOf, type Organization, useOrganization } from "../api/directory.ts"
import { msOf, relativeTime } from "../words/time.ts"
import { sentenceOf, statusOf, WAITING } from "../words/activity.ts"
import { Badge, Empty, Facts, Notice, Page, Pending, Section } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { DecodedPayloads } from "../ui/decoded.tsx"
import { Fingerprint } from "../ui/fingerprint.tsx"
import { useCheck } from "../ui/provenance.tsx"
import { ActivityTable } from "./activity.tsx"
import { ActivityBody, parametersOf, StatusLine } from "./activity-detail.tsx"

export function ApprovalsPage() {
  const state = useQuery<{ activities: Activity[] }>("list_activities", {
    filterByStatus: WAITING,
    paginationOptions: { limit: "100" },
  })
  const waiting = state.data?.activities
  const mine = waiting?.filter(({ canApprove }) => canApprove)
  const others = waiting?.filter(({ canApprove }) => !canApprove)
  return (
    <Page
      title="Approvals"
      about="Requests that wait for votes. Read what you approve: the page decodes the very bytes that your vote covers."
    >
      <Section title="Your turn">
        <ActivityTable
          to="approvals"
          rows={mine}
          state={state}
          empty={<Empty sentence="Nothing waits for you." command="countersign request list_activities" />}
        />
      </Section>
      {others !== undefined && others.length > 0 && (
        <Section title="Waits for others">
          <ActivityTable to="approvals" rows={others} state={state} empty={null} />
        </Section>
      )}
    </Page>
  )
}

export function ApprovalDetail({ id }: { id: string }) {
  const state = useQuery<{ activity: Activity }>("get_activity", { activityId: id })
  const { data: organization } = useOrganization()
  const activity = state.data?.activity
  const check = useCheck(activity)
  if (activity === undefined || check === undefined) return <Pending title="Approval" state={state} />
  const canVote = check.verdict === "proven" || check.verdict === "stamped"
  return (
    <Page
      title="Approval"
      about={<StatusLine activity={activity} check={check} />}
      action={
        <span class="line">
          {activity.canReject && (
            <button
              type="button"
              class="button grave"
              onClick={() => vote(activity, organization, "reject", parametersOf(activity, check))}
            >
              Reject
            </button>
          )}
          {activity.canApprove && canVote && (
            <button
              type="button"
              class="button primary"
              onClick={() => vote(activity, organization, "approve", parametersOf(activity, check))}
            >
              Approve
            </button>
          )}
        </span>
      }
    >
      <Waiting activity={activity} organization={organization} />
      <ActivityBody activity={activity} check={check} organization={organization} />
    </Page>
  )
}

function Waiting({ activity, organization }: { activity: Activity; organization: Organization | undefined }) {
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

function vote(
  activity: Activity,
  organization: Organization | undefined,
  verb: "approve" | "reject",
  parameters: Activity["intent"][string],
): void {
  const word = verb === "approve" ? "Approve" : "Reject"
  openChange({
    title: `${word} this request`,
    verb: word,
    type: `ACTIVITY_TYPE_${word.toUpperCase()}_ACTIVITY`,
    sentence: `${word}: ${sentenceOf(activity.type, parameters, (id) => nameOf(organization, id))}`,
    intro: (
      <div class="stack">
        <p class="sentence">{sentenceOf(activity.type, parameters, (id) => nameOf(organization, id))}</p>
        <DecodedPayloads parameters={parameters} />
        <Fingerprint fingerprint={activity.fingerprint} />
        <p class="quiet">
          <Badge tone="data">asked by {activity.votes[0]?.user?.userName ?? "another user"}</Badge>
        </p>
      </div>
    ),
    parameters: () => ({ fingerprint: activity.fingerprint }),
  })
}
