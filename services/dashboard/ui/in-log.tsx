// Whether an activity stands in the signer's log: one badge, and one sentence about what is proven.
import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { query } from "../api/client.ts"
import type { LogCheck, LogVerdict } from "../api/log-check.ts"
import { trust } from "../api/trust.ts"
import { Badge, Section } from "./basics.tsx"
import type { IconName } from "./icon.tsx"

const KEPT = "countersign.witnesses"

/** Keys of witnesses that a person has put into this browser: no host of the page names them. */
const witnesses = signal<readonly string[]>((localStorage.getItem(KEPT) ?? "").split("\n").filter(Boolean))

const MARKS: {
  readonly [verdict in LogVerdict]: readonly ["good" | "warn" | "bad" | "data", IconName, string]
} = {
  logged: ["good", "shield", "In the log"],
  partly: ["warn", "info", "Not proven to be in the log"],
  waiting: ["data", "clock", "Not yet under a head"],
  false: ["bad", "alert", "The log’s proof does not hold"],
  unchecked: ["warn", "alert", "The log could not be checked"],
}

/** The section of an activity's page about the log. */
export function InLog({ activity }: { activity: WholeActivityJson }) {
  const check = useLogCheck(activity)
  return (
    <Section title="In the signer’s log">
      <div class="card stack">
        <LogBadge check={check} />
        <WitnessKeys />
      </div>
    </Section>
  )
}

function LogBadge({ check }: { check: LogCheck | "unpinned" | undefined }) {
  if (check === undefined) return <Badge icon="clock">Being checked</Badge>
  if (check === "unpinned")
    return (
      <p class="quiet">
        This browser trusts no pins, so it cannot check the log: compare them on the page System.
      </p>
    )
  const [tone, icon, words] = MARKS[check.verdict]
  return (
    <>
      <p>
        <Badge tone={tone} icon={icon}>
          {words}
        </Badge>
      </p>
      <p>{check.sentence}</p>
    </>
  )
}

/** Undefined while it works. */
function useLogCheck(activity: WholeActivityJson): LogCheck | "unpinned" | undefined {
  const [known, setKnown] = useState<{ of: unknown; check: LogCheck } | undefined>(undefined)
  const pins = trust.value?.pins
  const keys = witnesses.value
  const of = `${activity.id} ${activity.status} ${activity.votes.length} ${keys.join()}`
  useEffect(() => {
    if (pins === undefined) return undefined
    let isCurrent = true
    const work = async () => {
      const { checkInLog } = await import("../api/log-check.ts")
      return checkInLog({ activity, pins, witnesses: keys, ask: query, pause })
    }
    void work()
      .catch(unchecked)
      .then((check) => isCurrent && setKnown({ of, check }))
    return () => {
      isCurrent = false
    }
  }, [of, pins])
  if (trust.value !== undefined && pins === undefined) return "unpinned"
  return known?.of === of ? known.check : undefined
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function unchecked(error: unknown): LogCheck {
  const cause = error instanceof Error ? error.message : String(error)
  return { verdict: "unchecked", sentence: `Nothing is proven about the log: ${cause}` }
}

const submitted = (save: () => Promise<void>) => (event: Event) => {
  event.preventDefault()
  void save()
}

function WitnessKeys() {
  const [text, setText] = useState(witnesses.value.join("\n"))
  const [fault, setFault] = useState("")
  const save = async () => {
    const { readNoteKey } = await import("../../../signer/core/log/note-key.ts")
    const keys = text.split("\n").map((line) => line.trim())
    const named = keys.filter((key) => key !== "")
    const unread = named.find((key) => readNoteKey(key) === undefined)
    if (unread !== undefined)
      return setFault(`“${unread}” is no key of a witness: it has the form NAME+ID+BASE64.`)
    setFault("")
    localStorage.setItem(KEPT, named.join("\n"))
    witnesses.value = named
    return undefined
  }
  return (
    <details>
      <summary>Witnesses</summary>
      <form class="stack" onSubmit={submitted(save)}>
        <label class="field">
          Keys of witnesses, one a line, as each witness gave it to you
          <textarea
            rows={3}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {fault !== "" && (
          <p role="alert" class="fault">
            {fault}
          </p>
        )}
        <p class="quiet small">
          They stay in this browser. The API and the host of this page name none: they could name their own.
        </p>
        <div>
          <button class="button">Check with these keys</button>
        </div>
      </form>
    </details>
  )
}
