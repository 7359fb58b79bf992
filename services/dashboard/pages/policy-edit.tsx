import { useState } from "preact/hooks"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { type ListedOrganization, type Policy, useOrganization } from "../api/directory.ts"
import type { Mark } from "../editor/language.ts"
import { Empty, Fault, Notice, Page, Pending } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { Expression } from "../ui/expression.tsx"
import { FieldRow } from "../ui/fields.tsx"
import { shortened } from "../words/outcomes.ts"
import { Foretold, Sentences, TRIED } from "./policy/foretold.tsx"
import { Insert } from "./policy/insert.tsx"
import { NamedIds } from "./policy/named.tsx"
import { Recipes } from "./policy/recipe-form.tsx"
import { type Note, type Replay, replayAll, Replays } from "./policy-replay.tsx"

const FIELDS = ["condition", "consensus", "time"] as const
type ExpressionName = (typeof FIELDS)[number]

const HINTS: { readonly [name in ExpressionName]: readonly [label: string, hint: string] } = {
  condition: [
    "Condition: which requests",
    "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' && eth.tx.value <= 1000000000000000000",
  ],
  consensus: ["Consensus: who has to approve", "approvers.any(user, user.id == '…')"],
  time: ["Time: when it applies (optional)", "empty: always"],
}

const NEW: Policy = {
  policyId: "",
  policyName: "",
  effect: "EFFECT_ALLOW",
  notes: "",
  consensus: "",
  condition: "",
  createdAt: "",
  updatedAt: "",
}

export function PolicyPage({ id }: { id: string }) {
  const state = useOrganization()
  const policy = id === "new" ? NEW : state.data?.policies.find(({ policyId }) => policyId === id)
  if (state.data === undefined) return <Pending title="Policy" state={state} />
  if (policy === undefined)
    return (
      <Page title="Policy">
        <div class="card flush">
          <Empty sentence={`There is no policy ${id}. It may have been deleted.`}>
            <a class="button" href="/policies">
              See all policies
            </a>
          </Empty>
        </div>
      </Page>
    )
  return (
    <PolicyForm key={policy.updatedAt === "" ? "new" : JSON.stringify(policy.updatedAt)} policy={policy} />
  )
}

type Advice = { [name in ExpressionName]?: { warnings: Mark[]; lines: string[]; fault?: string } }

function PolicyForm({ policy }: { policy: Policy }) {
  const [draft, setDraft] = useState(policy)
  // The editors take their texts when they are opened: a recipe opens them again.
  const [filled, setFilled] = useState(0)
  const { data: organization } = useOrganization()
  const [advice, setAdvice] = useState<Advice>({})
  const [replayed, setReplayed] = useState<Replay[] | undefined>(undefined)
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const [error, setError] = useState<Error | undefined>(undefined)
  const set = (changed: Partial<Policy>) => setDraft((before) => ({ ...before, ...changed }))
  const isNew = policy.policyId === ""
  const recent = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    paginationOptions: { limit: TRIED },
  })
  const test = async () => {
    setError(undefined)
    try {
      const tried = await replayAll(recent.data?.activities ?? [], draft)
      setReplayed(tried)
      const own = tried.find((one) => one.fault === undefined)?.policy
      setWarnings(own?.warnings ?? [])
      setAdvice(
        Object.fromEntries(
          (own?.expressions ?? []).map((one) => [
            one.field,
            adviceOf(one, draft[one.field as ExpressionName] ?? ""),
          ]),
        ),
      )
    } catch (caught) {
      setError(caught as Error)
    }
  }
  return (
    <Page
      title={isNew ? "New policy" : policy.policyName}
      about="It decides requests as soon as it is saved. Try it on recent activities first."
      action={
        <span class="line">
          {!isNew && (
            <button type="button" class="button grave" onClick={() => remove(policy)}>
              Delete
            </button>
          )}
          <button type="button" class="button" onClick={() => void test()}>
            Try
          </button>
          <button type="button" class="button primary" onClick={() => save(policy, draft)}>
            {isNew ? "Create policy" : "Save policy"}
          </button>
        </span>
      }
    >
      {error && <Fault error={error} />}
      {replayed && <Sentences effect={draft.effect} replays={replayed} />}
      {isNew && (
        <Recipes
          organization={organization}
          use={(recipe) => {
            set(recipe)
            setAdvice({})
            setFilled(filled + 1)
          }}
        />
      )}
      <PolicyMembers key={filled} draft={draft} advice={advice} organization={organization} set={set} />
      {[...warnings, ...Object.values(advice).flatMap(({ lines }) => lines)].map((sentence) => (
        <Notice key={sentence} tone="warn">
          <p>{sentence}</p>
        </Notice>
      ))}
      {replayed && <Replays replays={replayed} />}
    </Page>
  )
}

type PolicyMembersProps = {
  draft: Policy
  advice: Advice
  organization: ListedOrganization | undefined
  set: (changed: Partial<Policy>) => void
}

function PolicyMembers({ draft, advice, organization, set }: PolicyMembersProps) {
  return (
    <div class="card stack">
      <FieldRow
        field={{ name: "policyName", label: "Name" }}
        value={draft.policyName}
        onChange={(value) => set({ policyName: String(value) })}
      />
      <FieldRow
        field={{
          name: "effect",
          label: "Effect",
          kind: "select",
          options: [
            { value: "EFFECT_ALLOW", label: "Allow" },
            { value: "EFFECT_DENY", label: "Deny" },
          ],
        }}
        value={draft.effect}
        onChange={(value) => set({ effect: String(value) })}
      />
      {FIELDS.map((name) => (
        <Expression
          key={name}
          field={name}
          label={HINTS[name][0]}
          hint={HINTS[name][1]}
          text={draft[name] ?? ""}
          warnings={advice[name]?.warnings ?? NO_MARKS}
          fault={advice[name]?.fault}
          onChange={(text) => set({ [name]: text })}
          below={(insert) => name !== "time" && <Insert organization={organization} insert={insert} />}
        />
      ))}
      <NamedIds texts={[draft.condition, draft.consensus]} organization={organization} />
      <FieldRow
        field={{ name: "notes", label: "Notes for people", kind: "area" }}
        value={draft.notes}
        onChange={(value) => set({ notes: String(value) })}
      />
    </div>
  )
}

const NO_MARKS: readonly Mark[] = []

const markOf = ({ offset, length, sentence }: Note): Mark => ({ from: offset, to: offset + length, sentence })

function adviceOf(
  { field, fault, warnings }: { field: string; fault?: Note; warnings: Note[] },
  text: string,
): NonNullable<Advice[ExpressionName]> {
  const lines = warnings.map(({ offset, length, sentence }) => {
    return `${field}, ${shortened(text.slice(offset, offset + length))}: ${sentence}`
  })
  return {
    warnings: warnings.map(markOf),
    lines: lines.map(upperFirst),
    ...(fault && { fault: fault.sentence }),
  }
}

const upperFirst = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

function save({ policyId }: Policy, draft: Policy): void {
  const { policyName, effect, condition, consensus, notes, time = "" } = draft
  const isNew = policyId === ""
  openChange({
    title: isNew ? "Create policy" : "Save policy",
    verb: isNew ? "Create policy" : "Save policy",
    type: isNew ? "ACTIVITY_TYPE_CREATE_POLICY_V3" : "ACTIVITY_TYPE_UPDATE_POLICY_V2",
    intro: <Foretold draft={draft} />,
    parameters: () =>
      isNew
        ? { policyName, effect, condition, consensus, notes, ...(time !== "" && { time }) }
        : {
            policyId,
            policyName,
            policyEffect: effect,
            policyCondition: condition,
            policyConsensus: consensus,
            policyNotes: notes,
            time,
          },
  })
}

function remove({ policyId, policyName }: Policy): void {
  openChange({
    title: "Delete policy",
    verb: "Delete policy",
    type: "ACTIVITY_TYPE_DELETE_POLICY",
    grave: {
      loses: "What only this policy allowed is refused from then on; what it denied may run.",
      name: policyName,
    },
    parameters: () => ({ policyId }),
  })
}
