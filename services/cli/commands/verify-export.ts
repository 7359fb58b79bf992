import { createReadStream, statSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { createInterface } from "node:readline"
import { counted } from "../../../signer/core/counted.ts"
import { readHex } from "../../../signer/core/encodings.ts"
import { parseStrictJson } from "../../../proto/strict-json.ts"
import { type Evidence, findingsOfStamps, verifyProofs } from "../../../signer/core/proof/verify/index.ts"
import {
  EXPORT_FORMAT,
  ExportDigest,
  type ExportHeader,
  exportFileNumber,
} from "../../common/activity-export.ts"
import { readLogReceipt } from "../../../signer/core/log/receipt.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { printEither, type Terminal } from "../../terminal-client/terminal.ts"
import { isObject, type Json } from "../../terminal-client/json.ts"
import { readPins, readProof } from "./verify-proof.ts"

export type ExportFiles = {
  /** Files of an export, or folders with such files. */
  paths: readonly string[]
  /** Pins and code digest, as for `verify proof`. */
  pins: readonly string[] | undefined
  pinsFile: string
  codeDigest?: string | undefined
  json?: boolean | undefined
}

/** Counts over all files. */
type Report = {
  verified: boolean
  files: { file: number; sha256: string; activities: number }[]
  activities: number
  /** Activities whose body or votes are stamped as they are shown. */
  stamped: number
  /** Number of activities whose decision and result app proofs prove. */
  proven: number
  /** Receipts of decisions that no activity of the files has. */
  receipts: number
  /** Lines that were erased. */
  erased: number
  /** Activities whose lines hold too little to prove anything. */
  unproven: number
  faults: string[]
}

/** Most faults that are printed. All are counted. */
const MAX_FAULTS = 20

/**
 * Verifies files of exported activities. No line may have been changed, left out or added, and the stamps and app proofs of each
 * activity must be valid.
 *
 * @throws {CliError} usage; verificationFailed
 */
export async function verifyExport(given: ExportFiles, terminal: Terminal): Promise<void> {
  const report: Report = {
    verified: true,
    files: [],
    activities: 0,
    stamped: 0,
    proven: 0,
    receipts: 0,
    erased: 0,
    unproven: 0,
    faults: [],
  }
  let previous: FileResult | undefined
  for (const path of await filesIn(given.paths))
    previous = await new ExportFile(path, report, given).verify(previous)
  report.verified = report.faults.length === 0
  printEither(terminal, given, report, linesOf(report))
  if (!report.verified)
    throw new CliError(
      ExitCode.verificationFailed,
      "verification failed: these files are not as they were exported",
    )
}

type FileResult = { file: number; sha256: string }

/** One file, read line by line. */
class ExportFile {
  readonly #path: string
  readonly #report: Report
  readonly #given: ExportFiles
  readonly #bootProofs: Json[] = []
  #pins: Pick<Evidence, "pins" | "formerPins"> | undefined
  #line = 0
  #activities = 0
  #erased = 0

  constructor(path: string, report: Report, given: ExportFiles) {
    this.#path = path
    this.#report = report
    this.#given = given
  }

  async verify(previous: FileResult | undefined): Promise<FileResult> {
    const digest = new ExportDigest()
    let header: ExportHeader | undefined
    let end: Json | undefined
    for await (const line of createInterface({ input: createReadStream(this.#path) })) {
      this.#line++
      digest.add(line)
      if (end !== undefined) this.#fail("follows the line that ends the file")
      const json = this.#read(line)
      if (header === undefined) header = this.#readHeader(json, previous)
      else if ("end" in json) end = json["end"] as Json
      else await this.#verifyLine(json)
    }
    const file = header?.file ?? 0
    if (end === undefined) this.#fail("is the last line, and the file goes on after it: it was cut")
    else if (end["activities"] !== this.#activities + this.#erased)
      this.#fail(
        `counts its activities as ${String(end["activities"])}, and the file has ${this.#activities}`,
      )
    const sha256 = digest.digest().toString("hex")
    this.#report.files.push({ file, sha256, activities: this.#activities })
    return { file, sha256 }
  }

  #readHeader(json: Json, previous: FileResult | undefined): ExportHeader {
    const header = json as Partial<ExportHeader>
    if (header.format !== EXPORT_FORMAT)
      throw usage(`${this.#path} is no export of activities that this release reads`)
    const file = header.file ?? 0
    if (file !== exportFileNumber(basename(this.#path))) this.#fail("has another number than the file's name")
    if (previous !== undefined && file === previous.file + 1 && header.previous !== previous.sha256)
      this.#fail("names another digest of the file before it")
    if (previous !== undefined && file !== previous.file + 1)
      this.#fail(`is of file ${file}, and file ${previous.file + 1} is missing before it`)
    return header as ExportHeader
  }

  async #verifyLine(json: Json): Promise<void> {
    if ("erased" in json) {
      this.#erased++
      this.#report.erased++
    } else if ("bootProof" in json) this.#bootProofs.push(json["bootProof"] as Json)
    else if (isObject(json["activity"])) await this.#verifyActivity(json["activity"])
    else if (isObject(json["receipt"])) this.#verifyReceipt(json["receipt"])
    else this.#fail("is no line of an export")
  }

  /** The log alone shows whether it opens its leaf. */
  #verifyReceipt({ logReceipt }: Json): void {
    const text = typeof logReceipt === "string" ? logReceipt : ""
    if (readLogReceipt(readHex(text)) === undefined) return this.#fail("is no receipt of the log")
    this.#report.receipts++
  }

  async #verifyActivity(activity: Json): Promise<void> {
    this.#activities++
    this.#report.activities++
    const findings = findingsOfStamps(activity)
    const fault = findings.find(({ verdict }) => verdict === "failed")
    if (fault !== undefined) return this.#fail(fault.sentence)
    if (findings.some(({ verdict }) => verdict === "proven")) this.#report.stamped++
    else this.#report.unproven++
    const { appProofs } = activity
    if (!Array.isArray(appProofs) || appProofs.length === 0) return
    this.#pins ??= await readPins(this.#given)
    const { proofs, together, verified } = verifyProofs({
      proofs: appProofs.map(readProof),
      bootProofs: this.#bootProofs,
      activity,
      codeDigest: this.#given.codeDigest?.toLowerCase(),
      ...this.#pins,
    })
    if (verified) this.#report.proven++
    for (const { verdict, sentence } of [...proofs.flatMap(({ findings: own }) => own), ...together])
      if (verdict === "failed") this.#fail(sentence)
  }

  /** Strict JSON: of a doubled member one value could be shown and the other verified. */
  #read(line: string): Json {
    try {
      const json: unknown = parseStrictJson(line)
      if (isObject(json)) return json
    } catch {
      // The same fault as another value.
    }
    this.#fail("is not a JSON object")
    return {}
  }

  #fail(sentence: string): void {
    this.#report.faults.push(`${this.#path}, line ${this.#line}: ${sentence}`)
  }
}

/** @throws {CliError} usage: there is none */
async function filesIn(paths: readonly string[]): Promise<string[]> {
  const files: { path: string; number: number }[] = []
  for (const path of paths) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    const names = isFolder ? (await readdir(path)).map((name) => join(path, name)) : [path]
    for (const name of names) {
      const number = exportFileNumber(basename(name))
      if (number !== undefined) files.push({ path: name, number })
    }
  }
  if (files.length === 0) throw usage(`no file named activities-000001.jsonl or alike in ${paths.join(", ")}`)
  return files.toSorted((one, other) => one.number - other.number).map(({ path }) => path)
}

function linesOf({
  files,
  activities,
  stamped,
  proven,
  receipts,
  erased,
  unproven,
  faults,
}: Report): string[] {
  const [first, last] = [files[0], files.at(-1)]
  return [
    ...files.map(
      ({ file, sha256, activities: count }) =>
        `file ${file}  ${counted(count, "activity", "activities")}  sha256 ${sha256}`,
    ),
    ...(first !== undefined && first.file > 1 ? [`files before ${first.file} were not given`] : []),
    `${counted(activities, "activity", "activities")}: ${stamped} with the stamps of their votes, ${proven} of them with app proofs`,
    ...(receipts > 0
      ? [`${counted(receipts, "receipt")} of decisions without an activity, which the signer's log opens`]
      : []),
    ...(unproven > 0 ? [`${counted(unproven, "activity", "activities")} whose body is not shown`] : []),
    ...(erased > 0 ? [counted(erased, "erased line")] : []),
    `not proven: whose keys these were; results without app proofs; that nothing was exported after file ${last?.file}`,
    ...faults.slice(0, MAX_FAULTS).map((fault) => `FAILED  ${fault}`),
    ...(faults.length > MAX_FAULTS ? [`FAILED  ${faults.length - MAX_FAULTS} more`] : []),
  ]
}
