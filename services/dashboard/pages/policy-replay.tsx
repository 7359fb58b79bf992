// A draft of a policy, tried on recent activities.
import { type Activity, query } from "../api/client.ts"
import { nameOf, type Policy, useOrganization } from "../api/directory.ts"
import { sentenceOf } from "../words/activity.ts"
import { Badge, Empty, Section } from "../ui/basics.tsx"
import { Icon } from "../ui/icon.tsx"
import { Table } from "../ui/table.tsx"
import { decisionBadge, outcomeBadge } from "./activities/votes.tsx"

export type Note = { offset: number; length: number; sentence: string }
type Simulated = {
  outcome: string
  reason: string
  policies: {
    policyId: string
    policyName: string
    outcome: string
    warnings: string[]
    expressions: { field: string; fault?: Note; warnings: Note[] }[]
  }[]
}
export type Replay = {
  activity: Activity
  before: string
  after: string
  policy: Simulated["policies"][number] | undefined
}

/** Outcome of a recorded activity today, without and with the draft. */
export async function replay(
  activity: Activity,
  { policyId, policyName, effect, condition, consensus, time }: Policy,
): Promise<Replay> {
  const name = policyName.trim() || "draft"
  const draft = {
    ...(policyId !== "" && { policyId }),
    policyName: name,
    effect,
    condition,
    consensus,
    ...(time && { time }),
  }
  const [before, after] = await Promise.all([
    query<Simulated>("simulate_policies", { activityId: activity.id }),
    query<Simulated>("simulate_policies", { activityId: activity.id, draftPolicies: [draft] }),
  ])
  const policy = after.policies.find((one) =>
    policyId === "" ? one.policyId === "" : one.policyId === policyId,
  )
  return { activity, before: before.outcome, after: after.outcome, policy }
}

export function Replays({ replays }: { replays: readonly Replay[] }) {
  const { data } = useOrganization()
  const changed = replays.filter(({ before, after }) => before !== after).length
  return (
    <Section
      title="Recent activities under this policy"
      aside={
        changed === 0 ? (
          <Badge>No outcome changes</Badge>
        ) : (
          <Badge tone="warn" icon="alert">
            {changed} outcomes change
          </Badge>
        )
      }
    >
      <Table<Replay>
        label="Replay"
        stacks
        columns={[
          {
            title: "Activity",
            cell: ({ activity }) => (
              <a href={`/activity/${activity.id}`}>
                {sentenceOf(activity.type, Object.values(activity.intent)[0] ?? {}, (id) => nameOf(data, id))}
              </a>
            ),
          },
          { title: "This policy", cell: ({ policy }) => policy && outcomeBadge(policy.outcome) },
          { title: "Decision", cell: (one) => <Decision of={one} /> },
        ]}
        rows={replays}
        state={STILL}
        keyOf={({ activity }) => activity.id}
        empty={<Empty sentence="There is no activity yet." />}
      />
      <p class="quiet small">
        Advice of the API tier, by the signer’s own procedure. The signer alone decides.
      </p>
    </Section>
  )
}

const STILL = { error: undefined, reload: () => undefined }

/** The decision without the draft and, where it differs, with it. */
function Decision({ of: { before, after } }: { of: Replay }) {
  if (before === after)
    return (
      <span class="line">
        {decisionBadge(before)} <span class="quiet small">as before</span>
      </span>
    )
  return (
    <span class="line">
      {decisionBadge(before)} <Icon name="arrow" label="becomes" /> {decisionBadge(after)}
    </span>
  )
}
