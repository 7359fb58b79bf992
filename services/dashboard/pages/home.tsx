import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { useOrganization } from "../api/directory.ts"
import { requireLogin } from "../api/login.ts"
import { WAITING } from "../words/activity.ts"
import { Empty, Fault, Page, Section } from "../ui/basics.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { ActivityTable } from "./activities/table.tsx"
import { Checklist } from "./home/checklist.tsx"
import { ageOf, Breakdown, Figure, reasonOf } from "./home/figures.tsx"

const SIGNING = [
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS",
  "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
  "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
  "ACTIVITY_TYPE_SOL_SEND_TRANSACTION",
]

export function HomePage() {
  const { organizationName, username } = requireLogin()
  const organization = useOrganization()
  const signatures = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    filterByType: SIGNING,
    paginationOptions: { limit: "100" },
  })
  const waiting = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    filterByStatus: WAITING,
    paginationOptions: { limit: "100" },
  })
  const refused = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    filterByStatus: ["ACTIVITY_STATUS_FAILED"],
    paginationOptions: { limit: "100" },
  })
  const mine = waiting.data?.activities.filter(({ canApprove }) => canApprove)
  return (
    <Page title={organizationName} about={`You are ${username}.`} action={<FromApi />}>
      <Section title="Your turn" aside={<a href="/approvals">All approvals</a>}>
        <ActivityTable
          to="approvals"
          rows={mine}
          state={waiting}
          empty={<Empty sentence="Nothing waits for your vote." />}
        />
      </Section>
      <Section title="Safety">
        {organization.error ? (
          <Fault error={organization.error} retry={organization.reload} />
        ) : (
          <Checklist organization={organization.data} signatures={signatures.data?.activities ?? []} />
        )}
      </Section>
      <div class="grid">
        <Figure
          title="Signatures"
          activities={signatures.data?.activities}
          href="/activity?type=ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
        />
        <Figure
          title="Refusals"
          activities={refused.data?.activities}
          href="/activity?status=ACTIVITY_STATUS_FAILED"
        />
      </div>
      <div class="grid">
        <Breakdown
          title="Approvals waiting"
          state={waiting}
          groupOf={ageOf}
          none="Nothing waits for anybody."
          href="/approvals"
        />
        <Breakdown
          title="Refusals by reason"
          state={refused}
          groupOf={reasonOf}
          none="Nothing was refused."
          href="/activity?status=ACTIVITY_STATUS_FAILED"
        />
      </div>
    </Page>
  )
}
