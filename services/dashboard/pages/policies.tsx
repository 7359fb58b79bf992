import type { Activity } from "../api/client.ts"
import { useQuery } from "../api/data.ts"
import { type Policy, useOrganization } from "../api/directory.ts"
import { Ago, Badge, Empty, Page } from "../ui/basics.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { type Column, Table } from "../ui/table.tsx"

const effectBadge = (effect: string) =>
  effect === "EFFECT_DENY" ? <Badge tone="bad">Denies</Badge> : <Badge tone="good">Allows</Badge>

export function PoliciesPage() {
  const state = useOrganization()
  const columns: readonly Column<Policy>[] = [
    { title: "Name", cell: ({ policyId, policyName }) => <a href={`/policies/${policyId}`}>{policyName}</a> },
    { title: "Effect", cell: ({ effect }) => effectBadge(effect) },
    { title: "Applied lately", cell: ({ policyId }) => <Outcomes policyId={policyId} /> },
    { title: "Changed", wide: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
  ]
  return (
    <Page
      title="Policies"
      about="Without a policy that allows it, only the root quorum may do anything. DENY wins over ALLOW."
      action={
        <span class="line">
          <FromApi />
          <a class="button primary" href="/policies/new">
            Create policy
          </a>
        </span>
      }
    >
      <Table
        label="Policies"
        columns={columns}
        rows={state.data?.policies}
        state={state}
        keyOf={({ policyId }) => policyId}
        empty={
          <Empty
            sentence="There is no policy: the root quorum decides everything."
            command="countersign policy create NAME --file FILE"
          >
            <a class="button" href="/policies/new">
              Create policy
            </a>
          </Empty>
        }
      />
    </Page>
  )
}

const RECENT = "20"

/** How often the policy decided one of the last activities. */
function Outcomes({ policyId }: { policyId: string }) {
  const recent = useQuery<{ activities: Activity[] }>("list_activities", {
    paginationOptions: { limit: RECENT },
  })
  if (recent.data === undefined) return <span class="skeleton" style={{ width: "6rem" }} />
  return <OutcomeCount policyId={policyId} activities={recent.data.activities} />
}

function OutcomeCount({ policyId, activities }: { policyId: string; activities: readonly Activity[] }) {
  const named = activities.filter(({ failure }) => failure?.message?.includes(policyId) === true).length
  const state = useQuery<{ policies: { policyId: string; outcome: string }[] }>("simulate_policies", {
    activityId: activities.find(({ type }) => type.includes("SIGN"))?.id ?? activities[0]?.id,
  })
  const outcome = state.data?.policies.find((one) => one.policyId === policyId)?.outcome
  if (named > 0)
    return (
      <span>
        {named} of the last {activities.length}
      </span>
    )
  return (
    <span class="quiet">
      {outcome === "OUTCOME_ALLOW" || outcome === "OUTCOME_REQUIRES_CONSENSUS"
        ? "the last signature"
        : "not to the last signature"}
    </span>
  )
}
