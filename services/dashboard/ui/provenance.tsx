// Where a datum comes from, and whether this browser has checked it.
import { useEffect, useState } from "preact/hooks"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { checkActivity, trust } from "../api/trust.ts"
import type { ProofCheck } from "../api/verify.ts"
import { Badge } from "./basics.tsx"
import { ExplainedBadge } from "./explained-badge.tsx"
import { Icon, type IconName } from "./icon.tsx"
import { anchorOf } from "./page-index.tsx"

/** Checks an activity in the browser; undefined while it works, or where there is nothing to check. */
export function useCheck(activity: WholeActivityJson | undefined): ProofCheck | undefined {
  const [known, setKnown] = useState<{ of: WholeActivityJson; check: ProofCheck } | undefined>(undefined)
  const trusted = trust.value
  useEffect(() => {
    if (activity === undefined) return undefined
    let isCurrent = true
    const work = async () => {
      const check = await checkActivity(activity).catch(uncheckedBy)
      if (isCurrent) setKnown({ of: activity, check })
    }
    void work()
    return () => {
      isCurrent = false
    }
  }, [activity, trusted])
  return known !== undefined && known.of === activity ? known.check : undefined
}

function uncheckedBy(error: unknown): ProofCheck {
  const sentence = `the check failed: ${error instanceof Error ? error.message : String(error)}`
  return {
    verdict: "unchecked",
    findings: [{ verdict: "failed", sentence }],
    body: undefined,
    request: undefined,
  }
}

const MARKS: {
  readonly [verdict in ProofCheck["verdict"]]: readonly ["good" | "bad" | "data", IconName, string]
} = {
  unchecked: ["bad", "alert", "Could not be checked"],
  proven: ["good", "shield", "Proof checked against this browser’s pins"],
  stamped: ["data", "check", "Stamps checked, no proof of the decision"],
  false: ["bad", "alert", "Does not fit its proof: do not trust it"],
}

export function CheckMark({ check }: { check: ProofCheck | undefined }) {
  if (check === undefined) return <Badge icon="clock">Being checked</Badge>
  const [tone, icon, words] = MARKS[check.verdict]
  return (
    <ExplainedBadge tone={tone} icon={icon} why={MEANINGS[check.verdict]}>
      {words}
    </ExplainedBadge>
  )
}

/** The section of the System page that explains the marks. */
export const CHECKS = "What this browser checks"

/** The meaning of each mark, and the administrator's remedy. */
export const MEANINGS: { readonly [verdict in ProofCheck["verdict"]]: string } = {
  proven:
    "The signer proved that it decided exactly this request, on exactly these votes. Names, times and what is marked as not proven are the word of the API.",
  stamped:
    "The users named here stamped exactly this request. That the signer decided as shown is the word of the API: the request asked for no proofs, or this browser trusts no pins. Requests of these pages ask for proofs; others do so with --prove.",
  false: "What the API shows contradicts the stamps or the proofs. Vote on nothing, and tell the operator.",
  unchecked:
    "The browser could not verify anything of it. Reload the page, and do not vote before it is checked.",
}

/** Lists and settings come from the API tier, which is not trusted: nothing signs them. */
export function FromApi() {
  const why = (
    <>
      Nothing signs lists and settings: they are the word of the API. A request that you open is checked by
      its stamps and proofs. <a href={`/system#${anchorOf(CHECKS)}`}>What this browser checks</a>
    </>
  )
  return (
    <ExplainedBadge icon="info" why={why}>
      As the API states
    </ExplainedBadge>
  )
}

const VERDICTS: { readonly [verdict: string]: readonly [string, IconName, string] } = {
  proven: ["tone-good", "check", "Proven"],
  "not-proven": ["tone-warn", "info", "Not proven"],
  failed: ["tone-bad", "cross", "Failed"],
}

export function Findings({ check }: { check: ProofCheck }) {
  return (
    <ul class="findings">
      {check.findings.map(({ verdict, sentence }) => {
        const [tone, icon, label] = VERDICTS[verdict] ?? ["", "info" as const, verdict]
        return (
          <li key={sentence}>
            <span class={tone}>
              <Icon name={icon} label={label} />
            </span>
            <span class="upper-first">{sentence}</span>
          </li>
        )
      })}
    </ul>
  )
}
