// A draft of a policy, tried on recent activities.
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { ApiFault, query } from "../api/client.ts"
import { type Policy, useOrganization } from "../api/directory.ts"
import { Badge, Empty, Section } from "../ui/basics.tsx"
import { Icon } from "../ui/icon.tsx"
import { RequestLine } from "../ui/request-words.tsx"
import { Table } from "../ui/table.tsx"
import { decisionBadge, PolicyOutcome } from "./activities/votes.tsx"
import type { EvaluatedExpression } from "../words/outcomes.ts"

export type Note = { offset: number; length: number; sentence: string }
type Simulated = {
  outcome: string
  reason: string
  policies: {
    policyId: string
    policyName: string
    outcome: string
    warnings: string[]
    expressions: (EvaluatedExpression & { fault?: Note; warnings: Note[] })[]
  }[]
}
export type Replay = { activity: WholeActivityJson } & (
  | { before: string; after: string; policy: Simulated["policies"][number] | undefined; fault?: undefined }
  /** The activity cannot be decided today: an object that it names is deleted, or a parameter is no longer valid. */
  | { fault: string }
)

/**
 * A replay of each activity. One that cannot be decided today leaves the others as they are.
 *
 * @throws {ApiFault} the draft is at fault, or the API does not answer
 */
export async function replayAll(activities: readonly WholeActivityJson[], draft: Policy): Promise<Replay[]> {
  return Promise.all(
    activities.map((activity) =>
      replay(activity, draft).catch((fault: unknown) => {
        if (isOfActivity(fault)) return { activity, fault: fault.message }
        throw fault
      }),
    ),
  )
}

/** Statuses that say nothing about an activity: no login, no permission, too many requests. */
const OF_CALLER = [401, 403, 429]

/** True if the API refuses to decide the activity, whatever the draft is. */
function isOfActivity(fault: unknown): fault is ApiFault {
  if (!(fault instanceof ApiFault) || fault.field.startsWith("draftPolicies")) return false
  return fault.status >= 400 && fault.status < 500 && !OF_CALLER.includes(fault.status)
}

/** Outcome of a recorded activity today, without and with the draft. */
async function replay(
  activity: WholeActivityJson,
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
  const changed = replays.filter((one) => one.fault === undefined && one.before !== one.after).length
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
                <RequestLine activity={activity} organization={data} />
              </a>
            ),
          },
          {
            title: "This policy",
            cell: (one) => one.fault === undefined && one.policy && <PolicyOutcome of={one.policy} />,
          },
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
function Decision({ of }: { of: Replay }) {
  if (of.fault !== undefined) return <span class="quiet small">Cannot be decided today: {of.fault}</span>
  const { before, after } = of
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
