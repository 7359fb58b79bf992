// A request in words, read from its stamped bytes where their stamps are valid.
import type { Activity, Json } from "../../api/client.ts"
import { nameOf, type Organization } from "../../api/directory.ts"
import type { Check } from "../../api/verify.ts"
import { sentenceOf, statusOf } from "../../words/activity.ts"
import { prettyJson } from "../../words/visible.ts"
import { Ago, Badge, Notice } from "../../ui/basics.tsx"
import { DecodedPayloads } from "../../ui/decoded.tsx"
import { Fingerprint } from "../../ui/fingerprint.tsx"
import { CheckMark } from "../../ui/provenance.tsx"

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

/** The parameters that were stamped; those that the API shows while the stamps are not checked. */
export function parametersOf(activity: Activity, check: Check | undefined): Json {
  if (check?.body !== undefined) {
    const { parameters } = JSON.parse(check.body) as { parameters?: Json }
    if (parameters !== undefined) return parameters
  }
  return Object.values(activity.intent)[0] ?? {}
}

/** Warns of an activity that its stamps or proofs contradict. */
export function Contradiction({ check }: { check: Check | undefined }) {
  if (check?.verdict !== "false") return null
  return (
    <Notice tone="bad">
      <p class="strong">This request contradicts its stamps or proofs. Do not act on it.</p>
    </Notice>
  )
}

/** The whole request of an activity in few lines: for a person who is about to vote on it. */
export function WholeRequest({
  activity,
  check,
  organization,
}: {
  activity: Activity
  check: Check
  organization: Organization | undefined
}) {
  const parameters = parametersOf(activity, check)
  return (
    <div class="stack">
      <Contradiction check={check} />
      <p class="sentence">{sentenceOf(activity.type, parameters, (id) => nameOf(organization, id))}</p>
      <span class="line">
        <CheckMark check={check} />
        <Badge tone="data">asked by {activity.votes[0]?.user?.userName ?? "another user"}</Badge>
      </span>
      <DecodedPayloads parameters={parameters} isStamped={check.body !== undefined} />
      <Fingerprint
        {...(check.body === undefined ? { fingerprint: activity.fingerprint } : { body: check.body })}
      />
      <details>
        <summary>The whole request</summary>
        <pre tabIndex={0} aria-label="The whole request">
          {prettyJson(check.body === undefined ? parameters : JSON.parse(check.body))}
        </pre>
      </details>
    </div>
  )
}
