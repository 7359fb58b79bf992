import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { useOrganization } from "../api/directory.ts"
import { WAITING } from "../words/activity.ts"
import { Empty, Page, Pending, Section } from "../ui/basics.tsx"
import { useCheck } from "../ui/provenance.tsx"
import { StatusLine } from "./activities/request.tsx"
import { vote } from "./activities/vote.tsx"
import { Waiting } from "../ui/waiting.tsx"
import { ActivityBody } from "./activity-detail.tsx"
import { ActivityTable } from "./activities/table.tsx"

export function ApprovalsPage() {
  const state = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
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
  const state = useQuery<{ activity: WholeActivityJson }>("get_activity", { activityId: id })
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
              onClick={() => vote("reject", activity, check, organization)}
            >
              Reject
            </button>
          )}
          {activity.canApprove && canVote && (
            <button
              type="button"
              class="button primary"
              onClick={() => vote("approve", activity, check, organization)}
            >
              Approve
            </button>
          )}
        </span>
      }
    >
      <ActivityBody activity={activity} check={check} organization={organization}>
        <Waiting activity={activity} organization={organization} />
      </ActivityBody>
    </Page>
  )
}
