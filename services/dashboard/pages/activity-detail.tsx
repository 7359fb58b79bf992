import type { ComponentChildren } from "preact"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { nameOf, type ListedOrganization, useOrganization } from "../api/directory.ts"
import type { ProofCheck } from "../api/verify.ts"
import { commandFor } from "../words/command.ts"
import { titleOf } from "../../../signer/core/words/labels.ts"
import { pathOf } from "../words/activity.ts"
import { prettyJson, visible } from "../words/visible.ts"
import { Facts, Id, Notice, Page, Pending, Section } from "../ui/basics.tsx"
import { Fingerprint } from "../ui/fingerprint.tsx"
import { InLog } from "../ui/in-log.tsx"
import { Findings, MEANINGS, useCheck } from "../ui/provenance.tsx"
import {
  IgnoredMembers,
  RequestContents,
  RequestMembers,
  RequestSentence,
  useWords,
} from "../ui/request-words.tsx"
import { Contradiction, StatusLine, Unread } from "./activities/request.tsx"
import { SentTransaction } from "./activities/transaction.tsx"
import { Clauses, Votes } from "./activities/votes.tsx"

export function ActivityDetail({ id }: { id: string }) {
  const state = useQuery<{ activity: WholeActivityJson }>("get_activity", { activityId: id })
  const { data: organization } = useOrganization()
  const activity = state.data?.activity
  const check = useCheck(activity)
  if (activity === undefined) return <Pending title="Activity" state={state} />
  return (
    <Page title={titleOf(activity.type)} about={<StatusLine activity={activity} check={check} />}>
      <ActivityBody activity={activity} check={check} organization={organization} />
      <InLog activity={activity} />
    </Page>
  )
}

/**
 * Everything about an activity. The sentence and the decoded bytes come from the stamped request, where it fits. `children`:
 * shown after them, so that people read first what they decide.
 */
export function ActivityBody({
  activity,
  check,
  organization,
  children,
}: {
  activity: WholeActivityJson
  check: ProofCheck | undefined
  organization: ListedOrganization | undefined
  children?: ComponentChildren
}) {
  const words = useWords(check?.request, organization)
  const name = (id: string) => nameOf(organization, id)
  return (
    <>
      <Contradiction check={check} />
      <div class="card stack">
        {check !== undefined && check.request === undefined ? <Unread /> : <RequestSentence words={words} />}
        {activity.failure?.message && (
          <Notice tone="bad">
            <p>{activity.failure.message}</p>
          </Notice>
        )}
      </div>
      <IgnoredMembers words={words} />
      <RequestContents words={words} />
      {children}
      <SentTransaction activity={activity} />
      <Votes activity={activity} name={name} />
      <Clauses activity={activity} name={name} />
      {check && (
        <Section title="Checked in this browser">
          <div class="card">
            <Findings check={check} />
            <p class="quiet small">{MEANINGS[check.verdict]}</p>
          </div>
        </Section>
      )}
      <Section title="Request and result">
        <div class="card stack">
          <Facts
            facts={[
              ["Fingerprint", <Fingerprint fingerprint={activity.fingerprint} />],
              ["Activity", <Id id={activity.id} whole />],
              ["Type", <code class="wrap">{activity.type}</code>],
            ]}
          />
          <RequestMembers words={words} isOpen />
          <details>
            <summary>Result</summary>
            <pre tabIndex={0} aria-label="Result">
              {prettyJson(activity.result)}
            </pre>
          </details>
          <details>
            <summary>Activity as JSON</summary>
            <pre tabIndex={0} aria-label="Activity">
              {prettyJson(activity)}
            </pre>
          </details>
          {check?.request && (
            <details>
              <summary>The same call as a command</summary>
              <pre tabIndex={0} aria-label="Command">
                {visible(
                  commandFor({ path: pathOf(activity.type), type: activity.type }, check.request.clean),
                )}
              </pre>
            </details>
          )}
        </div>
      </Section>
    </>
  )
}
