import type { WholeActivityJson } from "../../common/activity-json.ts"
import { WAITING } from "../words/activity.ts"
import { Facts, Id, Notice } from "./basics.tsx"
import { commandText } from "../../../signer/core/command-text.ts"
import { useOrganization } from "../api/directory.ts"
import { Fingerprint } from "./fingerprint.tsx"
import { CheckMark, useCheck } from "./provenance.tsx"
import { IgnoredMembers, RequestSentence, useWords } from "./request-words.tsx"
import { StatusBadge } from "./status-badge.tsx"
import { Waiting } from "./waiting.tsx"

/** Digits of a fingerprint that a command needs. */
const SHORT = 8

/** The outcome of a change: its status, its words, its fingerprint, and the checks of its proofs. `type`: of the change. */
export function Receipt({ activity, type }: { activity: WholeActivityJson; type: string }) {
  const check = useCheck(activity)
  const { data: organization } = useOrganization()
  const words = useWords(check?.request, organization)
  const isVote = /^ACTIVITY_TYPE_(?:APPROVE|REJECT)_ACTIVITY$/.test(type)
  const isWaiting = WAITING.includes(activity.status)
  const short = activity.fingerprint.replace("sha256:", "").slice(0, SHORT)
  return (
    <div class="stack" role="status">
      <div class="line">
        <StatusBadge activity={activity} />
        <CheckMark check={check} />
      </div>
      <RequestSentence words={words} />
      <IgnoredMembers words={words} />
      {isWaiting && (
        <>
          <p>
            {isVote ? "Your vote is recorded. " : "The request is recorded. "}
            It takes effect once enough users have approved it. They find it under Approvals, or use the
            command <code class="wrap">{commandText`npx countersign approve ${short} --as NAME`}</code>
          </p>
          <Waiting activity={activity} organization={organization} />
        </>
      )}
      {activity.failure?.message && (
        <Notice tone="bad">
          <p>{activity.failure.message}</p>
        </Notice>
      )}
      <Facts
        facts={[
          ...idsIn(activity).map(([name, id]) => [name, <Id id={id} />] as const),
          [
            "Activity",
            <a href={`/activity/${activity.id}`} onClick={closeDialogs}>
              {activity.id}
            </a>,
          ],
          ["Fingerprint", <Fingerprint fingerprint={activity.fingerprint} />],
        ]}
      />
    </div>
  )
}

/** Closes all dialogs; for links that leave a dialog. */
export const closeDialogs = () => document.querySelectorAll("dialog").forEach((dialog) => dialog.close())

/** The ids and addresses of a result, by their names. */
function idsIn({ result }: WholeActivityJson): [name: string, id: string][] {
  return Object.values(result).flatMap((members) =>
    Object.entries(members).flatMap(([name, value]): [string, string][] => {
      const words = name
        .replace(/([A-Z])/g, " $1")
        .toLowerCase()
        .replace(/ ids?$/, "")
      const label = words.charAt(0).toUpperCase() + words.slice(1)
      const texts = Array.isArray(value) ? value : [value]
      return texts
        .filter((text) => typeof text === "string" && text.length < 140)
        .map((text) => [label, String(text)])
    }),
  )
}
