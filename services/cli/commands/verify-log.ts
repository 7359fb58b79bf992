import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { counted } from "../../../signer/core/counted.ts"
import { LogBundle, type LogReport, nameOf } from "../../../signer/core/log/verify/bundle.ts"
import { type NoteKey, readNoteKey } from "../../../signer/core/log/note-key.ts"
import { isUuid } from "../../../signer/core/uuid.ts"
import type { Querying } from "../../terminal-client/api-client.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { activityBundle } from "../../common/log-bundle.ts"
import { auditBundle, logReader } from "../../terminal-client/log-bundle.ts"
import { printEither, type Terminal } from "../../terminal-client/terminal.ts"
import { readPins } from "./verify-proof.ts"

export type LogOptions = {
  /** Files of the trusted deployment's pins, today's first. Undefined: those of the profile. */
  pins?: readonly string[] | undefined
  pinsFile: string
  /** Keys of witnesses, as C2SP writes them. */
  witness?: readonly string[] | undefined
  /** File for the bundle that is fetched. */
  save?: string | undefined
  json?: boolean | undefined
}

export type AuditOptions = LogOptions & {
  from?: string | undefined
  to?: string | undefined
  /** File of a checkpoint, or of an earlier bundle, that the caller kept. */
  since?: string | undefined
}

/** The organization at whose API the bundle is fetched. */
type Source = () => Promise<Querying>

/** Verifies the decisions of an activity in the log. @param activity id, or file of a saved bundle, which is verified without any network */
export async function verifyActivity(
  activity: string,
  options: LogOptions,
  source: Source,
  terminal: Terminal,
): Promise<void> {
  if (!isUuid(activity) && !existsSync(activity))
    throw usage(`${activity} is neither the id of an activity nor the file of a bundle`)
  const fetched = isUuid(activity) ? await activityBundle(logReader(await source()), activity) : undefined
  const report = await verify(fetched ?? activity, options)
  if (report.decisions.length === 0 && report.faults.length === 0)
    report.faults.push({ code: "LEAF_NOT_INCLUDED", sentence: "no decision of the activity has a receipt" })
  const isUnproven = report.faults.length > 0
  finish({ ...report, verified: !isUnproven }, linesOfActivity(report), options, terminal)
}

/** Verifies all decisions of an organization between two times. @param file of a saved bundle; undefined: it is fetched */
export async function verifyAudit(
  file: string | undefined,
  options: AuditOptions,
  source: Source,
  terminal: Terminal,
): Promise<void> {
  const { from, to, since } = options
  if (file !== undefined && (from ?? to ?? since) !== undefined)
    throw usage("a saved bundle has its own range: --from, --to and --since are for one that is fetched")
  const kept = since === undefined ? [] : [readKept(since)]
  const range = { fromMs: readTime(from, "--from"), toMs: readTime(to, "--to"), kept }
  const report = await verify(file ?? (await auditBundle(logReader(await source()), range)), options)
  finish(report, linesOfAudit(report), options, terminal)
}

async function verify(bundle: string | readonly string[], options: LogOptions): Promise<LogReport> {
  const { pins, formerPins = [] } = await readPins({ pins: options.pins, pinsFile: options.pinsFile })
  const trusted: Pins[] = [...(pins ? [pins] : []), ...formerPins.map((former) => former.pins)]
  const verifier = new LogBundle({ pins: trusted, witnesses: (options.witness ?? []).map(readWitness) })
  if (typeof bundle === "string") {
    for await (const line of createInterface({ input: createReadStream(bundle) })) verifier.add(line)
    return verifier.end()
  }
  if (options.save !== undefined) writeFileSync(options.save, `${bundle.join("\n")}\n`, { mode: 0o600 })
  for (const line of bundle) verifier.add(line)
  return verifier.end()
}

function readWitness(text: string): NoteKey {
  const key = readNoteKey(text)
  if (key !== undefined) return key
  throw usage(`--witness ${text}: no key of a witness; it has the form NAME+ID+BASE64`)
}

/** A checkpoint's note, or that of the first line of a bundle. */
function readKept(file: string): string {
  if (!existsSync(file)) throw usage(`${file}: there is no such file`)
  const text = readFileSync(file, "utf8")
  if (!text.startsWith("{")) return text
  const { checkpoint } = JSON.parse(text.slice(0, text.indexOf("\n"))) as { checkpoint?: unknown }
  if (typeof checkpoint === "string") return checkpoint
  throw usage(`${file} is neither a checkpoint nor a bundle`)
}

function readTime(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  throw usage(`${option} ${text}: no time; write 2026-01-31 or 2026-01-31T12:00:00Z`)
}

function finish(report: LogReport, lines: string[], options: LogOptions, terminal: Terminal): void {
  const faults = report.faults.map(({ code, sentence }) => `FAILED      ${code}: ${sentence}`)
  printEither(terminal, options, report, [...lines, ...faults])
  if (report.verified) return
  throw new CliError(
    ExitCode.verificationFailed,
    "verification failed: do not trust what this API shows of the log",
  )
}

function linesOfHead({ checkpoint, head, consistentWith }: LogReport): string[] {
  if (checkpoint === undefined) return []
  const { origin, size, cosignatures, unverified } = checkpoint
  return [
    `proven      the log ${origin} has ${counted(size, "leaf", "leaves")}, by its key, which the pins certify`,
    ...cosignatures.map((one) => `proven      cosigned by ${one.replace(" ", " at ")} (Unix seconds)`),
    ...unverified.map((name) => `not proven  a cosignature of ${name}: give its key with --witness`),
    ...consistentWith.map(
      (kept) => `proven      it begins with the kept log of ${counted(kept, "leaf", "leaves")}`,
    ),
    ...(head === undefined
      ? []
      : [
          `proven      the organization had document version ${head.documentVersion} and ${head.decisions} decisions since the signer's start at ${timeOf(head.statedAtMs)}`,
        ]),
  ]
}

function linesOfActivity(report: LogReport): string[] {
  const decisions = report.decisions.map(
    ({ status, decidedAtMs, leafIndex }) =>
      `proven      ${nameOf(status)} at ${timeOf(decidedAtMs)} is leaf ${leafIndex} of the log`,
  )
  const unopened = report.unopened.map((name) => `not proven  decision ${name}: the API has no receipt`)
  return [
    ...linesOfHead(report),
    ...decisions,
    ...unopened,
    "not proven  the activity's result, and that the decision was right: countersign verify proof",
  ]
}

function linesOfAudit(report: LogReport): string[] {
  const runs = report.runs.map(({ startIndex, first, last, count, missing }) => {
    const range = count === 0 ? "none" : `${count}, numbers ${first} to ${last}`
    const holes = missing.length === 0 ? "none is missing" : `${missing.length} are missing`
    return `${missing.length === 0 ? "proven    " : "FAILED    "}  decisions since the start at leaf ${startIndex}: ${range}; ${holes}`
  })
  const gaps = report.gaps.map(
    (index) =>
      `not proven  the signer started at leaf ${index} without having stopped: decisions of a second before may be missing`,
  )
  return [
    ...linesOfHead(report),
    ...runs,
    ...gaps,
    ...report.unopened.map((name) => `not proven  decision ${name}: the API has no receipt`),
    ...NOT_PROVEN.map((sentence) => `not proven  ${sentence}`),
  ]
}

const NOT_PROVEN = [
  "the last decisions before a crash of the signer: only a head statement that was kept names their number",
  "results of activities, and that decisions were right: countersign verify proof",
  "that no other log was shown to others: compare checkpoints, or give keys of witnesses",
]

function timeOf(ms: string | number): string {
  return new Date(Number(ms)).toISOString()
}
