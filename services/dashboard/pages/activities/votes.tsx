// The votes on an activity, and the outcomes of the policies at the last one.
import type { WholeActivityJson, Vote } from "../../../common/activity-json.ts"
import { useQuery } from "../../api/data.ts"
import { Ago, Badge, Id, Section } from "../../ui/basics.tsx"
import {
  decisionWords,
  type EvaluatedExpression,
  evaluationFaults,
  outcomeWords,
} from "../../words/outcomes.ts"
import { visible } from "../../words/visible.ts"
import { type Column, Table } from "../../ui/table.tsx"

export function Votes({
  activity,
  name,
}: {
  activity: WholeActivityJson
  name: (id: string) => string | undefined
}) {
  const columns: readonly Column<Vote>[] = [
    { title: "Who", cell: ({ userId, user }) => <b>{user?.userName ?? name(userId) ?? userId}</b> },
    {
      title: "Vote",
      cell: ({ selection }) =>
        selection === "VOTE_SELECTION_REJECTED" ? (
          <Badge tone="bad" why="One rejection ends the activity for good.">
            Rejected
          </Badge>
        ) : (
          <Badge
            tone="good"
            why="It counts while the user has this credential, until the votes lapse: 24 hours after the first of them."
          >
            Approved
          </Badge>
        ),
    },
    { title: "Credential", wide: true, cell: ({ publicKey }) => <Id id={publicKey} /> },
    { title: "When", cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ]
  const state = { error: undefined, reload: () => undefined }
  return (
    <Section title="Votes">
      <Table
        label="Votes"
        columns={columns}
        rows={activity.votes}
        state={state}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Section>
  )
}

type Evaluation = { voteId: string; policyEvaluations: { policyId: string; outcome: string }[] }

type SimulatedPolicy = { policyId: string; outcome: string; expressions: EvaluatedExpression[] }

/** Outcome of one policy, in words; if it cannot be evaluated, the reason with the part of the expression at fault. */
export function PolicyOutcome({ of: { outcome, expressions } }: { of: Omit<SimulatedPolicy, "policyId"> }) {
  const [tone, words, why] = outcomeWords(outcome)
  const reasons = outcome === UNEVALUATED ? evaluationFaults(expressions) : []
  return (
    <>
      <Badge tone={tone} why={why}>
        {words}
      </Badge>
      {reasons.map((reason) => (
        <p key={reason} class="quiet small">
          {visible(reason)}
        </p>
      ))}
    </>
  )
}

const UNEVALUATED = "OUTCOME_ERROR"

/** Outcome of all policies together, in words. */
export function decisionBadge(outcome: string) {
  const [tone, words, why] = decisionWords(outcome)
  return (
    <Badge tone={tone} why={why}>
      {words}
    </Badge>
  )
}

/** Outcomes of the policies at the last vote. */
export function Clauses({
  activity,
  name,
}: {
  activity: WholeActivityJson
  name: (id: string) => string | undefined
}) {
  const state = useQuery<{ policyEvaluations: Evaluation[] }>("get_policy_evaluations", {
    activityId: activity.id,
  })
  const last = state.data?.policyEvaluations.at(-1)
  // Stored outcomes have no reasons. For policies that still cannot be evaluated, today's reasons are shown.
  const isUnevaluated = last?.policyEvaluations.some(({ outcome }) => outcome === UNEVALUATED) === true
  const today = useQuery<{ policies: SimulatedPolicy[] }>(isUnevaluated ? "simulate_policies" : undefined, {
    activityId: activity.id,
  })
  const expressionsOf = (policyId: string) =>
    today.data?.policies.find((one) => one.policyId === policyId && one.outcome === UNEVALUATED)
      ?.expressions ?? []
  if (state.error || last === undefined || last.policyEvaluations.length === 0) return null
  return (
    <Section title="Policies">
      <Table
        label="Outcomes of policies"
        stacks
        columns={[
          {
            title: "Policy",
            cell: ({ policyId }) => <a href={`/policies/${policyId}`}>{name(policyId) ?? policyId}</a>,
          },
          {
            title: "Outcome",
            cell: ({ policyId, outcome }) => (
              <PolicyOutcome of={{ outcome, expressions: expressionsOf(policyId) }} />
            ),
          },
        ]}
        rows={last.policyEvaluations}
        state={state}
        keyOf={({ policyId }) => policyId}
        empty={null}
      />
    </Section>
  )
}
