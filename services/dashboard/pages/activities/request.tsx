// A request in words, read from its stamped bytes where their stamps are valid.
import type { Activity, Json } from "../../api/client.ts"
import { nameOf, type Organization } from "../../api/directory.ts"
import type { Check } from "../../api/verify.ts"
import { sentenceOf, statusOf } from "../../words/activity.ts"
import { prettyJson, visible } from "../../words/visible.ts"
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

/** The parameters as the signer reads the stamped bytes; those that the API shows while the stamps are not checked. */
export function parametersOf(activity: Activity, check: Check | undefined): Json {
  return check?.request?.clean ?? Object.values(activity.intent)[0] ?? {}
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

/** Names the members of a request that have no effect. */
export function Ignored({ check }: { check: Check | undefined }) {
  const ignored = check?.request?.ignored ?? []
  if (ignored.length === 0) return null
  return (
    <Notice tone="warn">
      <p>The signer ignores {visible(ignored.join(", "))}: these members of the request have no effect.</p>
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
      <Ignored check={check} />
      <DecodedPayloads parameters={parameters} isStamped={check.request !== undefined} />
      <Fingerprint
        {...(check.body === undefined ? { fingerprint: activity.fingerprint } : { body: check.body })}
      />
      <details>
        <summary>The whole request</summary>
        <pre tabIndex={0} aria-label="The whole request">
          {prettyJson(check.request?.members ?? parameters)}
        </pre>
      </details>
    </div>
  )
}
