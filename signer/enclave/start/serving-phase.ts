import { counted } from "../../core/counted.ts"
import { writeNoteKey } from "../../core/log/note-key.ts"
import { describeNewer, ledgerOlder, type RollbackDetector } from "../execution/state/rollback.ts"
import type { TrustedClock } from "../ledger/trusted-clock.ts"
import type { DecisionLog } from "../log/decision-log.ts"
import type { Phase } from "../phase.ts"

export const STOPPING: Phase = {
  name: "stopping",
  sentence: "the signer is stopping; send the same body again once it is up",
}

/** The phase of a signer with ledger and keys. A clock that does not run comes first: accepting a ledger takes a trusted time. */
export function phaseOf(clock: TrustedClock, { found }: RollbackDetector, decisionLog: DecisionLog): Phase {
  const { contradiction } = decisionLog
  const isRunning = clock.isRunning()
  if (isRunning && found !== undefined)
    return { name: "ledger-older", ...OLDER, detail: describeNewer(found) }
  if (isRunning && contradiction !== undefined) {
    const { code, detail } = contradiction
    return { name: "ledger-older", ...(code === "LEDGER_OLDER" ? OLDER : FORKED), detail }
  }
  const time = clock.read()
  if (typeof time !== "number") return { name: "clock-untrusted", sentence: time.message }
  if (!decisionLog.isWitnessed) return unwitnessed(decisionLog)
  const remark = [clock.drift() ?? [], reportsOf(decisionLog)].flat().join("; ")
  return remark === "" ? { name: "ready" } : { name: "ready", remark }
}

const OLDER = { code: "LEDGER_OLDER", sentence: ledgerOlder().message } as const
const FORKED = {
  code: "LEDGER_FORKED",
  sentence:
    "the signer's ledger is not the one whose log this deployment signed: a second copy of it went on by itself, or it was changed; an " +
    "operator must stop the other signer, restore the newest ledger with its log, or accept this one",
} as const

/** Callers learn which witnesses are missing; the operator also what these answered, and what each has to know. */
function unwitnessed({ witnesses, signed }: DecisionLog): Phase {
  const { threshold, keys } = witnesses.policy
  const missing = witnesses.missing(signed.size).join(", ")
  const sentence =
    `the signer has started, and ${threshold} of ${counted(keys.length, "witness", "witnesses")} have to cosign its log before it decides anything; ` +
    `missing: ${missing}; try again`
  const reports = ["", ...reportsOf({ witnesses })].join("; ")
  const detail =
    "start these witnesses, name them in COUNTERSIGN_API_WITNESSES, and give each the log's key " +
    `${writeNoteKey(signed.key)}. A witness that knows more leaves than ${signed.size}, or another log, shows that this ledger is an ` +
    `older copy or one of two: restore the newest one${reports}`
  return { name: "unwitnessed", sentence, detail }
}

/** What the courier says of witnesses that do not cosign: for the operator alone, because it proves nothing. */
const reportsOf = ({ witnesses }: Pick<DecisionLog, "witnesses">) =>
  witnesses.reports.map((report) => `reported: ${report}`)
