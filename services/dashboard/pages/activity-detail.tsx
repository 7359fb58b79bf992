import { type Activity, type Json, type Vote } from "../api/client.ts"
import { useQuery } from "../api/data.ts"
import { nameOf, type Organization, useOrganization } from "../api/directory.ts"
import type { Check } from "../api/verify.ts"
import { commandFor } from "../words/command.ts"
import { pathOf, sentenceOf, statusOf, titleOf } from "../words/activity.ts"
import { Ago, Badge, Facts, Id, Notice, Page, Pending, Section } from "../ui/basics.tsx"
import { DecodedPayloads } from "../ui/decoded.tsx"
import { Fingerprint } from "../ui/fingerprint.tsx"
import { CheckMark, Findings, useCheck } from "../ui/provenance.tsx"
import { type Column, Table } from "../ui/table.tsx"

export function ActivityDetail({ id }: { id: string }) {
  const state = useQuery<{ activity: Activity }>("get_activity", { activityId: id })
  const { data: organization } = useOrganization()
  const activity = state.data?.activity
  const check = useCheck(activity)
  if (activity === undefined) return <Pending title="Activity" state={state} />
  return (
    <Page title={titleOf(activity.type)} about={<StatusLine activity={activity} check={check} />}>
      <ActivityBody activity={activity} check={check} organization={organization} />
    </Page>
  )
}

export function StatusLine({ activity, check }: { activity: Activity; check: Check | undefined }) {
  const [word, tone] = statusOf(activity.status)
  return (
    <span class="line">
      <Badge tone={tone}>{word}</Badge>
      <CheckMark check={check} />
      <Ago time={activity.createdAt} />
    </span>
  )
}

/** Everything about an activity. The sentence and the decoded bytes come from the stamped request, where it fits. */
export function ActivityBody({
  activity,
  check,
  organization,
}: {
  activity: Activity
  check: Check | undefined
  organization: Organization | undefined
}) {
  const parameters = parametersOf(activity, check)
  const name = (id: string) => nameOf(organization, id)
  return (
    <>
      {check?.verdict === "false" && (
        <Notice tone="bad">
          <p class="strong">What the API shows here contradicts its stamps or proofs. Do not act on it.</p>
        </Notice>
      )}
      <div class="card stack">
        <p class="sentence">{sentenceOf(activity.type, parameters, name)}</p>
        {activity.failure?.message && (
          <Notice tone="bad">
            <p>{activity.failure.message}</p>
          </Notice>
        )}
        <Facts
          facts={[
            ["Fingerprint", <Fingerprint fingerprint={activity.fingerprint} />],
            ["Activity", <Id id={activity.id} whole />],
            ["Type", <code class="wrap">{activity.type}</code>],
          ]}
        />
      </div>
      <DecodedPayloads parameters={parameters} />
      <Votes activity={activity} name={name} />
      <Clauses activity={activity} name={name} />
      {check && (
        <Section title="Checked in this browser">
          <div class="card">
            <Findings check={check} />
          </div>
        </Section>
      )}
      <Section title="Request and result">
        <div class="card stack">
          <details open>
            <summary>Parameters</summary>
            <pre tabIndex={0} aria-label="Parameters">
              {pretty(parameters)}
            </pre>
          </details>
          <details>
            <summary>Result</summary>
            <pre tabIndex={0} aria-label="Result">
              {pretty(activity.result)}
            </pre>
          </details>
          <details>
            <summary>Activity as JSON</summary>
            <pre tabIndex={0} aria-label="Activity">
              {pretty(activity)}
            </pre>
          </details>
          <details>
            <summary>The same call as a command</summary>
            <pre tabIndex={0} aria-label="Command">
              {commandFor({ path: pathOf(activity.type), type: activity.type }, parameters)}
            </pre>
          </details>
        </div>
      </Section>
    </>
  )
}

/** The parameters that were stamped; those that the API shows while the stamps are not checked. */
export function parametersOf(activity: Activity, check: Check | undefined): Json {
  if (check?.body !== undefined) {
    const { parameters } = JSON.parse(check.body) as { parameters?: Json }
    if (parameters !== undefined) return parameters
  }
  return Object.values(activity.intent)[0] ?? {}
}

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)

function Votes({ activity, name }: { activity: Activity; name: (id: string) => string | undefined }) {
  const columns: readonly Column<Vote>[] = [
    { title: "Who", cell: ({ userId, user }) => <b>{user?.userName ?? name(userId) ?? userId}</b> },
    {
      title: "Vote",
      cell: ({ selection }) =>
        selection === "VOTE_SELECTION_REJECTED" ? (
          <Badge tone="bad">Rejected</Badge>
        ) : (
          <Badge tone="good">Approved</Badge>
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

const OUTCOMES: { readonly [outcome: string]: readonly ["good" | "warn" | "bad" | "", string] } = {
  OUTCOME_ALLOW: ["good", "Allows"],
  OUTCOME_DENY_EXPLICIT: ["bad", "Denies"],
  OUTCOME_DENY_IMPLICIT: ["", "Does not apply"],
  OUTCOME_REQUIRES_CONSENSUS: ["warn", "Needs more votes"],
  OUTCOME_REJECTED: ["bad", "Rejected"],
  OUTCOME_ERROR: ["bad", "Cannot be evaluated"],
  OUTCOME_TIME_INACTIVE: ["", "Outside its time"],
  OUTCOME_REQUIRES_AUTHENTICATORS: ["warn", "Needs a factor"],
}

export function outcomeBadge(outcome: string) {
  const [tone, word] = OUTCOMES[outcome] ?? ["" as const, outcome]
  return <Badge tone={tone}>{word}</Badge>
}

/** Outcomes of the policies at the last vote. */
function Clauses({ activity, name }: { activity: Activity; name: (id: string) => string | undefined }) {
  const state = useQuery<{ policyEvaluations: Evaluation[] }>("get_policy_evaluations", {
    activityId: activity.id,
  })
  const last = state.data?.policyEvaluations.at(-1)
  if (state.error || last === undefined || last.policyEvaluations.length === 0) return null
  return (
    <Section title="Policies">
      <Table
        label="Outcomes of policies"
        columns={[
          {
            title: "Policy",
            cell: ({ policyId }) => <a href={`/policies/${policyId}`}>{name(policyId) ?? policyId}</a>,
          },
          { title: "Outcome", cell: ({ outcome }) => outcomeBadge(outcome) },
        ]}
        rows={last.policyEvaluations}
        state={state}
        keyOf={({ policyId }) => policyId}
        empty={null}
      />
    </Section>
  )
}
