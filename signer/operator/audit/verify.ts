import { createReadStream, readFileSync, statSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type AuditBinding, type BoundReport, verifyBinding } from "../../core/audit/bound.ts"
import { AuditChain, type ChainReport } from "../../core/audit/chain.ts"
import { readExportHeader } from "../../core/audit/export.ts"
import type { AuditFault } from "../../core/audit/fault.ts"
import { pinsIn } from "../../core/backup-files/input.ts"
import { UsageFault } from "../../core/command-line.ts"
import { counted } from "../../core/counted.ts"
import { REFUSED } from "../../core/settings/start-fault.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { auditLines } from "../../process/audit-folder.ts"
import type { CommandResult } from "../command-result.ts"
import { readBinding } from "./binding.ts"

/** `file`: an export, or records; undefined: those of this host and its running signer. `heads`: files with kept checkpoints. */
export type VerifyAuditCommand = {
  verb: "verify"
  directory?: string | undefined
  file: string | undefined
  pins: string | undefined
  heads: readonly string[]
  from: number
  waitSeconds: number
}

type AuditPlace = { directory: string; configOf: () => SignerConfig }
type Read = { chain: AuditChain; binding: AuditBinding | undefined; signerPins: Pins | undefined }

export async function verifyAudit(command: VerifyAuditCommand, place: AuditPlace): Promise<CommandResult> {
  const { chain, binding, signerPins } = await (command.file === undefined
    ? readHere(command, place)
    : readExport(command.file, command.from))
  const report = chain.end()
  const trusted = command.pins === undefined ? signerPins : pinsIn(command.pins)
  const kept = command.heads.map((path) => readHead(path))
  const bound = binding && trusted ? verifyBinding(chain, binding, { pins: [trusted], kept }) : undefined
  const isOfSigner = command.pins === undefined
  return resultOf({ report, bound, why: whyUnbound(binding, trusted), isOfSigner })
}

async function readHere(
  { from, waitSeconds }: VerifyAuditCommand,
  { directory, configOf }: AuditPlace,
): Promise<Read> {
  // The signer first: what it binds is in the files by then.
  const { binding, pins } = await readBinding(configOf().operatorSocket, waitSeconds)
  const chain = new AuditChain(from)
  for (const line of auditLines(directory)) chain.add(line)
  return { chain, binding, signerPins: pins }
}

async function readExport(path: string, from: number): Promise<Read> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageFault(`${path} is no file`)
  const chain = new AuditChain(from)
  let binding: AuditBinding | undefined
  let isFirst = true
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (isFirst) binding = readExportHeader(line)
    if (!isFirst || binding === undefined) chain.add(line)
    isFirst = false
  }
  return { chain, binding, signerPins: undefined }
}

function readHead(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    throw new UsageFault(`--head ${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Why nothing says that the log has bound the records; undefined: it is verified. */
function whyUnbound(binding: AuditBinding | undefined, pins: Pins | undefined): string | undefined {
  if (binding === undefined)
    return "the file has no proof of the log, so an end that was cut off, or a chain that was made anew, is not found: use audit export"
  return pins === undefined ? "no pins to verify the log with: --pins FILE" : undefined
}

type VerifiedAudit = {
  report: ChainReport
  bound: BoundReport | undefined
  why: string | undefined
  isOfSigner: boolean
}

function resultOf({ report, bound, why, isOfSigner }: VerifiedAudit): CommandResult {
  const faults: AuditFault[] = [...report.faults, ...(bound?.faults ?? [])]
  const verified = faults.length === 0
  const { records, first, last, gaps, open } = report
  const lines = [
    verified ? "no fault was found" : `${counted(faults.length, "fault")} found`,
    records === 0 ? "there are no records" : `${counted(records, "record")}, number ${first} to ${last}`,
    ...faults.map(({ code, sentence }) => `${code}: ${sentence}`),
    ...gaps.map(
      ({ number, omitted }) =>
        `gap: ${counted(omitted, "record")} before number ${number} could not be written`,
    ),
    ...open.map((number) => `act ${number} has no outcome: the signer ended, or still does it`),
    ...linesOfBound(bound, { why, isOfSigner, last }),
  ]
  const json = {
    verified,
    records,
    first,
    last,
    bound: bound?.bound ?? 0,
    ...(bound?.checkpoint && { checkpoint: bound.checkpoint }),
    gaps,
    open,
    faults,
  }
  return { lines, json, exitStatus: verified ? 0 : REFUSED }
}

function linesOfBound(
  bound: BoundReport | undefined,
  { why, isOfSigner, last }: { why: string | undefined; isOfSigner: boolean; last: number },
): string[] {
  if (bound === undefined) return [`not compared with the log: ${why}`]
  if (bound.checkpoint === undefined || bound.bound === 0) return []
  const { origin, size, root } = bound.checkpoint
  const later = last - bound.bound
  return [
    `the log ${origin} of ${counted(size, "leaf", "leaves")}, root ${root}, has bound the records up to number ${bound.bound}`,
    ...(later > 0 ? [`bound by no leaf yet: ${counted(later, "later record")}`] : []),
    ...(isOfSigner ? ["the pins are the signer's own word: compare with kept ones, --pins"] : []),
  ]
}
