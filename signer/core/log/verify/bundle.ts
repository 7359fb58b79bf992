// Verifies a bundle of the log: lines of JSON (docs/formats/log-bundle.md). Nothing but the pins is trusted.
import { isJsonObject, type JsonMembers, parseStrictJson } from "../../../../proto/strict-json.ts"
import { ActivityStatus, ActivityStatusSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Pins } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { counted } from "../../counted.ts"
import { type Fault, isFault } from "../../fault.ts"
import { findingsOfStamps } from "../../proof/verify/stored.ts"
import { objectIn, objectsIn, textIn } from "../../proof/verify/json.ts"
import type { NoteKey } from "../note-key.ts"
import {
  type AuditRange,
  type CountedRun,
  DecisionCounters,
  numbersText,
  type StatedCount,
} from "./counters.ts"
import { type ShownDecision, type ShownLeaf, verifyDecision, verifyLeaf } from "./decisions.ts"
import { type LogFault, type LogFaultCode, logFault, unproven } from "./fault.ts"
import {
  openHead,
  openLogKey,
  requireConsistent,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from "./heads.ts"

export const LOG_BUNDLE = "countersign-log-bundle/1"

/** The keys that the verifier trusts, and the question that it asks. */
export type Trusted = {
  readonly pins: readonly Pins[]
  readonly witnesses?: readonly NoteKey[]
  /** The organization that the reader asks about; absent: that of the bundle. */
  readonly organizationId?: string | undefined
  /** The nonce that the reader chose; absent: the bundle's, which shows no freshness. */
  readonly nonce?: string | undefined
}

/** A decision that is in the log, as its leaf commits to it. */
export type LoggedDecision = {
  activityId: string
  fingerprint: string
  status: number
  decidedAtMs: number
  leafIndex: number
}

export type LogReport = {
  verified: boolean
  organizationId: string
  checkpoint:
    | { origin: string; size: number; root: string; cosignatures: string[]; unverified: string[] }
    | undefined
  /** Version and digest of the organization's document, by the head statement. */
  head: { documentVersion: string; documentDigest: string; decisions: string; statedAtMs: string } | undefined
  /** Sizes of kept trees that this log begins with. */
  consistentWith: number[]
  decisions: LoggedDecision[]
  runs: CountedRun[]
  /** Starts of the signer without a stop before them: decisions of up to a second may be missing there. */
  gaps: number[]
  /** Decisions without a receipt. */
  unopened: string[]
  faults: LogFault[]
}

/** Verifies the lines of a bundle, one after the other. */
export class LogBundle {
  readonly #trusted: Trusted
  readonly #report: LogReport
  readonly #leaves = new Map<number, string>()
  #tree: VerifiedCheckpoint | undefined
  #counters = new DecisionCounters({})
  #stated: StatedCount | undefined
  #activity: JsonMembers | undefined
  #isAudit = false
  #lines = 0
  #isEnded = false
  #isBroken = false

  constructor(trusted: Trusted) {
    this.#trusted = trusted
    this.#report = {
      verified: false,
      organizationId: trusted.organizationId ?? "",
      checkpoint: undefined,
      head: undefined,
      consistentWith: [],
      decisions: [],
      runs: [],
      gaps: [],
      unopened: [],
      faults: [],
    }
  }

  /** Takes the next line. */
  add(line: string): void {
    if (this.#isBroken) return
    try {
      this.#read(readLine(line))
    } catch (error) {
      if (!isFault(error, "log")) throw error
      this.#isBroken = true
      this.#report.faults.push(logFault(error.place as LogFaultCode, error.message))
    }
  }

  /** The result, after the last line. */
  end(): LogReport {
    const report = this.#report
    if (!this.#isBroken) this.#finish()
    report.verified = report.faults.length === 0
    return report
  }

  #read(json: JsonMembers): void {
    this.#lines += 1
    if (this.#isEnded) throw malformed("a line follows the one that ends the bundle")
    if (this.#lines === 1) return this.#header(json)
    if ("end" in json) return this.#end(objectIn(json, "end"))
    const decision = readDecisionOf(objectIn(json, "decision"))
    const leaf = readLeafOf(json)
    if ("activity" in json) this.#activity = objectIn(json, "activity")
    else if ("decision" in json) this.#decision(decision, leaf)
    else if (leaf !== undefined) this.#leaf(leaf)
    else throw malformed(`line ${this.#lines} is none of a bundle`)
  }

  #header(json: JsonMembers): void {
    if (textIn(json, "format") !== LOG_BUNDLE) throw malformed(`the first line names no format ${LOG_BUNDLE}`)
    const { pins, witnesses, organizationId = textIn(json, "organizationId") } = this.#trusted
    const report = this.#report
    report.organizationId = organizationId
    if (textIn(json, "organizationId") !== organizationId)
      throw unproven(
        "ORGANIZATION_FOREIGN",
        `the bundle is about organization ${textIn(json, "organizationId")}`,
      )
    const key = openLogKey(signedIn(json, "logKeyStatement", "logKeySignature"), pins)
    const tree = verifyCheckpoint(textIn(json, "checkpoint"), key, witnesses)
    this.#tree = tree
    const { origin, size, root, cosignatures, unverified } = tree
    report.checkpoint = {
      origin,
      size,
      root: Buffer.from(root).toString("hex"),
      cosignatures: cosignatures.map(({ key: { name }, timeSeconds = 0 }) => `${name} ${timeSeconds}`),
      unverified: [...unverified],
    }
    for (const kept of objectsIn(json, "kept")) {
      const earlier = verifyCheckpoint(textIn(kept, "checkpoint"), key)
      requireConsistent(earlier, tree, hashesIn(kept, "consistencyProof"))
      report.consistentWith.push(earlier.size)
    }
    this.#isAudit = !("activityId" in json)
    this.#counters = new DecisionCounters(this.#isAudit ? rangeIn(json) : {})
    this.#readHead(objectIn(json, "head"), organizationId)
  }

  #readHead(json: JsonMembers, organizationId: string): void {
    if (!("statement" in json)) return
    const nonce = this.#trusted.nonce ?? textIn(json, "nonce")
    const expected = { pins: this.#trusted.pins, nonce, organizationId }
    const head = openHead(signedIn(json, "statement", "signature"), expected)
    if (head.logOrigin !== this.#tree?.origin)
      throw unproven("ERA_OTHER", `the head statement names the log ${head.logOrigin}`)
    this.#stated = { startIndex: Number(head.logStart), decisions: Number(head.decisions) }
    this.#report.head = {
      documentVersion: String(head.documentVersion),
      documentDigest: Buffer.from(head.documentDigest).toString("hex"),
      decisions: String(head.decisions),
      statedAtMs: String(head.statedAtMs),
    }
  }

  #decision(decision: ShownDecision, leaf: ShownLeaf | undefined): void {
    const { organizationId, faults, unopened, decisions } = this.#report
    if (decision.statement === undefined) {
      unopened.push(`${decision.voteId} of activity ${decision.activityId}`)
      return
    }
    const found = verifyDecision(decision, leaf, { organizationId, tree: this.#requireTree() })
    if ("code" in found) {
      faults.push(found)
      return
    }
    const twice = this.#counters.add(found)
    if (twice !== undefined) faults.push(twice)
    const { activityId, fingerprint, status, decidedAtMs } = found
    decisions.push({ activityId, fingerprint, status, decidedAtMs, leafIndex: Number(decision.leafIndex) })
  }

  #leaf(leaf: ShownLeaf): void {
    const found = verifyLeaf(leaf, this.#requireTree())
    if ("code" in found) this.#report.faults.push(found)
    else this.#leaves.set(Number(leaf.leafIndex), found.kind)
  }

  #end(json: JsonMembers): void {
    this.#isEnded = true
    if (json["lines"] !== this.#lines)
      throw unproven(
        "BUNDLE_TRUNCATED",
        `the bundle has ${counted(this.#lines, "line")} and says that it has ${String(json["lines"])}`,
      )
  }

  #finish(): void {
    const report = this.#report
    if (!this.#isEnded)
      report.faults.push(logFault("BUNDLE_TRUNCATED", "the last line of the bundle is missing: it was cut"))
    for (const [index, kind] of this.#leaves)
      if (kind === "start" && index > 0 && this.#leaves.get(index - 1) !== "stop") report.gaps.push(index)
    if (this.#activity !== undefined)
      report.faults.push(...faultsOfActivity(this.#activity, report.decisions))
    if (!this.#isAudit) return
    report.runs = this.#counters.runs(this.#stated)
    for (const { startIndex, missing } of report.runs) {
      if (missing.length === 0) continue
      const sentence = `decisions ${numbersText(missing)} since the start at leaf ${startIndex} were left out`
      report.faults.push(logFault("COUNTER_MISSING", sentence))
    }
  }

  #requireTree(): VerifiedCheckpoint {
    if (this.#tree === undefined) throw malformed("the bundle has no checkpoint")
    return this.#tree
  }
}

/** The shown activity is the one that the leaves are about: its request has the fingerprint, its status is that of the last decision. */
function faultsOfActivity(activity: JsonMembers, decisions: readonly LoggedDecision[]): LogFault[] {
  const stamps = findingsOfStamps(activity).filter(({ verdict }) => verdict === "failed")
  const faults = stamps.map(({ sentence }) => contradicted(`the activity shown: ${sentence}`))
  const fingerprint = textIn(activity, "fingerprint").replace(/^sha256:/, "")
  if (decisions.some((one) => one.fingerprint !== fingerprint))
    faults.push(contradicted("the activity shown has another fingerprint than its decisions in the log"))
  if (decisions.some((one) => one.activityId !== textIn(activity, "id")))
    faults.push(contradicted("a decision in the log is about another activity than the one shown"))
  const last = decisions.toSorted((one, other) => one.leafIndex - other.leafIndex).at(-1)
  // An activity that expired ends without a decision.
  const hasExpired = last !== undefined && WAITS.has(last.status) && textIn(activity, "status") === FAILED
  if (last !== undefined && !hasExpired && nameOf(last.status) !== textIn(activity, "status"))
    faults.push(
      contradicted(
        `the activity shown is ${textIn(activity, "status")}, the last decision in the log ${nameOf(last.status)}`,
      ),
    )
  return faults
}

function contradicted(sentence: string): LogFault {
  return logFault("STATEMENT_CONTRADICTED", sentence)
}

const FAILED = "ACTIVITY_STATUS_FAILED"
const WAITS: ReadonlySet<number> = new Set([
  ActivityStatus.CONSENSUS_NEEDED,
  ActivityStatus.AUTHENTICATORS_NEEDED,
])

/** Name of a status. @param status number of ActivityStatus */
export function nameOf(status: number): string {
  return ActivityStatusSchema.values.find(({ number }) => number === status)?.name ?? String(status)
}

function malformed(sentence: string): Fault {
  return unproven("BUNDLE_MALFORMED", sentence)
}

/** Strict JSON: of a doubled member one value could be shown and the other verified. */
function readLine(line: string): JsonMembers {
  try {
    const json: unknown = parseStrictJson(line)
    if (isJsonObject(json)) return json
  } catch {
    // The same fault as another value: a line that was cut is no JSON.
  }
  throw unproven("BUNDLE_TRUNCATED", "a line of the bundle is no JSON object: it was cut")
}

function signedIn(json: JsonMembers, statement: string, signature: string) {
  return { statement: textIn(json, statement), signature: textIn(json, signature) }
}

function rangeIn(json: JsonMembers): AuditRange {
  const ms = (name: string) => (textIn(json, name) === "" ? undefined : Number(textIn(json, name)))
  return { fromMs: ms("fromMs"), toMs: ms("toMs") }
}

function hashesIn(json: JsonMembers, name: string): string[] {
  const list = json[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : []
}

function readDecisionOf(json: JsonMembers): ShownDecision {
  const optional = (name: string) => ("statement" in json ? textIn(json, name) : undefined)
  return {
    activityId: textIn(json, "activityId"),
    voteId: textIn(json, "voteId"),
    decidedAtMs: textIn(json, "decidedAtMs"),
    logOrigin: optional("logOrigin"),
    leafIndex: optional("leafIndex"),
    salt: optional("salt"),
    statement: optional("statement"),
  }
}

function readLeafOf(json: JsonMembers): ShownLeaf | undefined {
  if (!("leaf" in json)) return undefined
  return {
    leafIndex: textIn(json, "leafIndex"),
    leaf: textIn(json, "leaf"),
    inclusionProof: hashesIn(json, "inclusionProof"),
  }
}
