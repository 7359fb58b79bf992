// A request in words, read from its stamped bytes where their stamps are valid.
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import type { ListedOrganization } from "../../api/directory.ts"
import type { ProofCheck } from "../../api/verify.ts"
import { Ago, Badge, Notice } from "../../ui/basics.tsx"
import { Fingerprint } from "../../ui/fingerprint.tsx"
import { CheckMark } from "../../ui/provenance.tsx"
import { StatusBadge } from "../../ui/status-badge.tsx"
import { Waiting } from "../../ui/waiting.tsx"
import {
  IgnoredMembers,
  RequestContents,
  RequestMembers,
  RequestSentence,
  useWords,
} from "../../ui/request-words.tsx"

export function StatusLine({
  activity,
  check,
}: {
  activity: WholeActivityJson
  check: ProofCheck | undefined
}) {
  return (
    <span class="line">
      <StatusBadge activity={activity} />
      <CheckMark check={check} />
      <Ago time={activity.createdAt} />
    </span>
  )
}

/** Warns of an activity that its stamps or proofs contradict. */
export function Contradiction({ check }: { check: ProofCheck | undefined }) {
  if (check?.verdict !== "false") return null
  return (
    <Notice tone="bad">
      <p class="strong">This request contradicts its stamps or proofs. Do not act on it.</p>
    </Notice>
  )
}

/** Shown if the stamped request cannot be read: the page describes only stamped requests. */
export function Unread() {
  return <p class="strong">The stamped request cannot be read: the API shows something else.</p>
}

/** The whole request of an activity, for a person who is about to vote on it: what it does, then who asks, ids last. */
export function WholeRequest({
  activity,
  check,
  organization,
}: {
  activity: WholeActivityJson
  check: ProofCheck
  organization: ListedOrganization | undefined
}) {
  const words = useWords(check.request, organization)
  return (
    <div class="stack">
      <Contradiction check={check} />
      {check.request === undefined ? <Unread /> : <RequestSentence words={words} />}
      <IgnoredMembers words={words} />
      <RequestContents words={words} />
      <span class="line">
        <Badge tone="data">asked by {activity.votes[0]?.user?.userName ?? "another user"}</Badge>
        <CheckMark check={check} />
      </span>
      <Waiting activity={activity} organization={organization} />
      <RequestMembers words={words} />
      <Fingerprint
        {...(check.body === undefined ? { fingerprint: activity.fingerprint } : { body: check.body })}
      />
    </div>
  )
}
