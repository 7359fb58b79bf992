// Whether an activity stands in the signer's log, by the code of `countersign verify activity`. Loaded when a page needs it.
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { fromJson } from "@bufbuild/protobuf"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type NoteKey, readNoteKey } from "../../../signer/core/log/note-key.ts"
import { LogBundle, type LogReport, type Trusted } from "../../../signer/core/log/verify/bundle.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { activityBundle, type BundleReader } from "../../common/log-bundle.ts"
import type { PinsJson } from "./config.ts"

/**
 * `logged`: each decision is a leaf under a signed head. `partly`: the API has no receipt of one or of all, or they are of a log that was
 * given up. `waiting`: no head covers the last one yet. `false`: what is shown contradicts the log or its keys.
 */
export type LogVerdict = "logged" | "partly" | "waiting" | "false" | "unchecked"

export type LogCheck = { readonly verdict: LogVerdict; readonly sentence: string }

/** Heads are signed each second. */
const ATTEMPTS = 8

type Asked = {
  readonly activity: WholeActivityJson
  readonly pins: PinsJson
  /** Keys of witnesses, as C2SP writes them. */
  readonly witnesses: readonly string[]
  readonly ask: BundleReader["ask"]
  readonly pause: BundleReader["pause"]
}

/** Asks for receipts and proofs, and verifies them against the activity as the page shows it. */
export async function checkInLog({ activity, pins, witnesses, ask, pause }: Asked): Promise<LogCheck> {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")
  const { organizationId, appProofs } = activity
  // The page's own activity is verified, not another one that the API would show for the proof.
  const shown: { readonly [query: string]: object } = {
    get_activity: { activity },
    list_app_proofs: { appProofs },
  }
  const reader: BundleReader = {
    organizationId,
    nonce,
    ask: async <Reply>(path: string, members: object) => (shown[path] ?? (await ask(path, members))) as Reply,
    attempts: ATTEMPTS,
    pause,
  }
  const keys = witnesses.map(readNoteKey).filter((key) => key !== undefined)
  const lines = await activityBundle(reader, activity.id)
  const trusted = { pins: [fromJson(PinsSchema, pins as never)], witnesses: keys, organizationId, nonce }
  return judgeBundle(lines, trusted)
}

/** The verdict about the bundle of one activity. */
export function judgeBundle(
  lines: readonly string[],
  trusted: Trusted & { witnesses: readonly NoteKey[] },
): LogCheck {
  const covered = lines.filter((line) => !waits(line, lines))
  const isWaiting = covered.length < lines.length
  const report = verify(isWaiting ? withoutActivity(covered) : lines, trusted)
  const { faults, decisions, unopened, checkpoint } = report
  const [fault] = faults
  if (fault !== undefined && faults.every(({ code }) => code === "ERA_OTHER"))
    return { verdict: "partly", sentence: ERA }
  if (fault !== undefined)
    return { verdict: "false", sentence: `The log’s proof does not hold: ${fault.sentence}. ${DISTRUST}` }
  if (isWaiting) return { verdict: "waiting", sentence: WAITING }
  const size = (checkpoint?.size ?? 0).toLocaleString("en")
  if (decisions.length === 0) return { verdict: "partly", sentence: NO_RECEIPT }
  const counted = decisions.length === 1 ? "Its one decision is" : `Its ${decisions.length} decisions are`
  const proven = `${counted} in the signer’s log under head ${size}, ${seenBy(report, trusted.witnesses.length)}`
  if (unopened.length > 0)
    return { verdict: "partly", sentence: `${proven}; of ${unopened.length} more the API has no receipt.` }
  return { verdict: "logged", sentence: `${proven}. ${NOT_PROVEN}` }
}

function seenBy({ checkpoint }: LogReport, known: number): string {
  if (known === 0) return "and this browser has no keys of witnesses who saw that head"
  return `seen by ${checkpoint?.cosignatures.length ?? 0} of ${known} ${known === 1 ? "witness" : "witnesses"}`
}

function verify(lines: readonly string[], trusted: Trusted): LogReport {
  const bundle = new LogBundle(trusted)
  for (const line of lines) bundle.add(line)
  return bundle.end()
}

/** Whether a line is a decision of the log of the first line's tree, which does not have its leaf yet. */
function waits(line: string, [header = "{}"]: readonly string[]): boolean {
  const { checkpoint = "" } = JSON.parse(header) as JsonMembers
  const [origin, size] = String(checkpoint).split("\n")
  const { decision } = JSON.parse(line) as JsonMembers
  const { logOrigin, leafIndex } = (decision ?? {}) as JsonMembers
  return logOrigin === origin && Number(leafIndex) >= Number(size)
}

/**
 * The bundle of the decisions that the tree has: one that it will never have must hide no contradiction among them. The activity's status
 * may be that of a decision that waits, so the activity is left out.
 */
function withoutActivity(lines: readonly string[]): string[] {
  const kept = lines.slice(0, -1).filter((line) => !("activity" in (JSON.parse(line) as JsonMembers)))
  return [...kept, JSON.stringify({ end: { lines: kept.length + 1 } })]
}

const NOT_PROVEN = "This does not prove that the decision was right, nor its result."
const DISTRUST = "Vote on nothing, keep this page, and tell the operator."
const WAITING =
  "No signed head covers its last decision yet, so nothing is proven: a head follows within seconds. If this stays, tell the operator."
const NO_RECEIPT = "The API has no receipt of its decisions, so nothing is proven about the log."
const ERA =
  "Its decisions are of a log that the operator gave up, by the word of the API: the present log proves nothing about them."
