import type { Activity } from "../api/client.ts"
import { statusOf } from "../words/activity.ts"
import { Badge, Facts, Id, Notice } from "./basics.tsx"
import { Fingerprint } from "./fingerprint.tsx"
import { CheckMark, useCheck } from "./provenance.tsx"

/** The outcome of a change: its status, its fingerprint, and the checks of its proofs. */
export function Receipt({ activity }: { activity: Activity }) {
  const [word, tone] = statusOf(activity.status)
  const check = useCheck(activity)
  const isWaiting = tone === "warn"
  return (
    <div class="stack" role="status">
      <div class="line">
        <Badge tone={tone}>{word}</Badge>
        <CheckMark check={check} />
      </div>
      {isWaiting && (
        <Notice tone="warn">
          <p>Nothing has happened yet: others have to approve. They find it under Approvals.</p>
          <p class="small">
            <code class="wrap">
              countersign request approve_activity '{JSON.stringify({ fingerprint: activity.fingerprint })}'
              --submit approve_activity --as NAME
            </code>
          </p>
        </Notice>
      )}
      {activity.failure?.message && (
        <Notice tone="bad">
          <p>{activity.failure.message}</p>
        </Notice>
      )}
      <Facts
        facts={[
          [
            "Activity",
            <a href={`/activity/${activity.id}`} onClick={closeDialogs}>
              {activity.id}
            </a>,
          ],
          ["Fingerprint", <Fingerprint fingerprint={activity.fingerprint} />],
          ...idsIn(activity).map(([name, id]) => [name, <Id id={id} />] as const),
        ]}
      />
    </div>
  )
}

/** For links out of a dialog. */
export const closeDialogs = () => document.querySelectorAll("dialog").forEach((dialog) => dialog.close())

/** The ids and addresses of a result, by their names. */
function idsIn({ result }: Activity): [name: string, id: string][] {
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
