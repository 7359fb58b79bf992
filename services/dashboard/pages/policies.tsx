import { counted } from "../../../signer/core/counted.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useEffect, useState } from "preact/hooks"
import { query } from "../api/client.ts"
import { useQuery } from "../api/data.ts"
import { type Policy, useOrganization } from "../api/directory.ts"
import { Ago, Badge, Empty, Page } from "../ui/basics.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { type Column, Table } from "../ui/table.tsx"

const effectBadge = (effect: string) =>
  effect === "EFFECT_DENY" ? (
    <Badge tone="bad" why="Requests that fit the condition are refused, whatever other policies allow.">
      Denies
    </Badge>
  ) : (
    <Badge
      tone="good"
      why="Requests that fit the condition run once the consensus is met, unless a policy denies them."
    >
      Allows
    </Badge>
  )

export function PoliciesPage() {
  const state = useOrganization()
  const { counts, of } = useOutcomes()
  const columns: readonly Column<Policy>[] = [
    { title: "Name", cell: ({ policyId, policyName }) => <a href={`/policies/${policyId}`}>{policyName}</a> },
    { title: "Effect", cell: ({ effect }) => effectBadge(effect) },
    {
      title: of === 0 ? "Lately" : `In the last ${counted(of, "activity", "activities")}`,
      cell: ({ policyId }) => <Outcomes policyId={policyId} counts={counts} />,
    },
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
        stacks
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

/** Number of the last activities that are counted: each needs one query. */
const RECENT = 25

type Evaluations = { policyEvaluations: { policyEvaluations: { policyId: string; outcome: string }[] }[] }
type Counts = ReadonlyMap<string, { allowed: number; denied: number; waited: number; failed: number }>

/** Outcomes of each policy at the last vote on each of the last activities, as the signer recorded them. */
function useOutcomes(): { counts: Counts | undefined; of: number } {
  const recent = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    paginationOptions: { limit: String(RECENT) },
  })
  const [known, setKnown] = useState<{ counts: Counts; of: number } | undefined>(undefined)
  const activities = recent.data?.activities
  useEffect(() => {
    if (activities === undefined) return undefined
    let isCurrent = true
    const read = async () => {
      const evaluations = await Promise.all(
        activities.map(({ id }) =>
          query<Evaluations>("get_policy_evaluations", { activityId: id }).catch(NONE),
        ),
      )
      if (isCurrent) setKnown({ counts: countsOf(evaluations), of: activities.length })
    }
    void read()
    return () => {
      isCurrent = false
    }
  }, [activities])
  return { counts: known?.counts, of: known?.of ?? 0 }
}

/** An activity that cannot be read counts for no policy. */
const NONE = (): Evaluations => ({ policyEvaluations: [] })

function countsOf(evaluations: readonly Evaluations[]): Counts {
  const counts = new Map<string, { allowed: number; denied: number; waited: number; failed: number }>()
  for (const { policyEvaluations } of evaluations) {
    for (const { policyId, outcome } of policyEvaluations.at(-1)?.policyEvaluations ?? []) {
      const of = counts.get(policyId) ?? { allowed: 0, denied: 0, waited: 0, failed: 0 }
      counts.set(policyId, of)
      if (outcome === "OUTCOME_ALLOW") of.allowed += 1
      if (outcome === "OUTCOME_DENY_EXPLICIT" || outcome === "OUTCOME_REJECTED") of.denied += 1
      if (outcome === "OUTCOME_REQUIRES_CONSENSUS" || outcome === "OUTCOME_REQUIRES_AUTHENTICATORS")
        of.waited += 1
      if (outcome === "OUTCOME_ERROR") of.failed += 1
    }
  }
  return counts
}

function Outcomes({ policyId, counts }: { policyId: string; counts: Counts | undefined }) {
  if (counts === undefined) return <span class="skeleton cell" />
  const { allowed, denied, waited, failed } = counts.get(policyId) ?? NOTHING
  if (allowed + denied + waited + failed === 0) return <span class="quiet">none</span>
  return (
    <span class="chips">
      {allowed > 0 && <Badge tone="good">{allowed} allowed</Badge>}
      {denied > 0 && <Badge tone="bad">{denied} denied</Badge>}
      {waited > 0 && <Badge tone="warn">{waited} waiting</Badge>}
      {failed > 0 && (
        <Badge
          tone="bad"
          icon="alert"
          why="The requests lack what its expressions name. Such a policy allows nothing, and denies only with FEATURE_NAME_STRICT_DENY."
        >
          {failed} not evaluated
        </Badge>
      )}
    </span>
  )
}

const NOTHING = { allowed: 0, denied: 0, waited: 0, failed: 0 }
