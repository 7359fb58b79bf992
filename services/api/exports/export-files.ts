import { createReadStream } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"
import {
  erasedLine,
  EXPORT_FORMAT,
  ExportDigest,
  type ExportHeader,
  exportFileName,
  exportFileNumber,
} from "../../common/activity-export.ts"
import type { ReceiptKey } from "../store/decision-receipts.ts"
import type { ActivityKey } from "../store/old-activities.ts"

/** A file that is written: nothing relies on it before it has its own name. */
const PARTIAL = ".partial"

/** A file that is complete and on disk. */
export type FinishedFile = { file: number; digest: Buffer; keys: ActivityKey[]; receipts: ReceiptKey[] }

/** The folder of exported activities. */
export class ExportFolder {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Makes the folder, and removes files that a killed process did not finish. */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const names = await readdir(this.#directory)
    for (const name of names.filter((one) => one.endsWith(PARTIAL))) await rm(join(this.#directory, name))
  }

  /**
   * The newest file in the folder, read whole. Undefined: it has none.
   *
   * @throws {StartError} refused: the file is of another deployment, or no export
   */
  async last(deploymentId: string): Promise<FinishedFile | undefined> {
    const numbers = (await this.names()).flatMap((name) => exportFileNumber(name) ?? [])
    if (numbers.length === 0) return undefined
    const file = Math.max(...numbers)
    const path = join(this.#directory, exportFileName(file))
    const digest = new ExportDigest()
    const keys: ActivityKey[] = []
    const receipts: ReceiptKey[] = []
    let header: Partial<ExportHeader> | undefined
    for await (const line of linesOf(path)) {
      digest.add(line)
      if (header === undefined) header = JSON.parse(line) as Partial<ExportHeader>
      else {
        const { activity, receipt } = JSON.parse(line) as Line
        if (activity !== undefined) keys.push(keyOf(activity))
        if (receipt !== undefined) receipts.push(receipt)
      }
    }
    if (header?.format !== EXPORT_FORMAT || header.deploymentId !== deploymentId) {
      const sentence = `${path} is no export of this deployment; name another folder with --out`
      throw new StartError(REFUSED, sentence)
    }
    return { file, digest: digest.digest(), keys, receipts }
  }

  /**
   * Erases the lines of all files for which `isErased` is true. A file keeps its digest and its name. Returns how many lines
   * were erased.
   */
  async eraseLines(isErased: (line: string) => boolean): Promise<number> {
    let erased = 0
    for (const name of await this.names()) {
      const path = join(this.#directory, name)
      const handle = await open(path + PARTIAL, "w", 0o600)
      let inFile = 0
      try {
        for await (const line of linesOf(path)) {
          const isGone = isErased(line)
          if (isGone) inFile += 1
          await handle.appendFile(`${isGone ? erasedLine(line) : line}\n`)
        }
        await handle.sync()
      } finally {
        await handle.close()
      }
      if (inFile > 0) await this.#publish(name)
      else await rm(path + PARTIAL)
      erased += inFile
    }
    return erased
  }

  /** Names of the files; none if the folder is not there. */
  async names(): Promise<string[]> {
    const names = await readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    })
    return names.filter((name) => exportFileNumber(name) !== undefined)
  }

  async begin(header: ExportHeader): Promise<ExportWriter> {
    const name = exportFileName(header.file)
    const handle = await open(join(this.#directory, name + PARTIAL), "w", 0o600)
    const writer = new ExportWriter(handle, header.file, () => this.#publish(name))
    await writer.add(JSON.stringify(header))
    return writer
  }

  /** The file has its name after a crash too: the folder itself is synced. */
  async #publish(name: string): Promise<void> {
    await rename(join(this.#directory, name + PARTIAL), join(this.#directory, name))
    const folder = await open(this.#directory, "r")
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

/** One file, line by line. */
export class ExportWriter {
  readonly #handle: FileHandle
  readonly #file: number
  readonly #publish: () => Promise<void>
  readonly #digest = new ExportDigest()
  readonly #keys: ActivityKey[] = []
  readonly #receipts: ReceiptKey[] = []
  #characters = 0

  constructor(handle: FileHandle, file: number, publish: () => Promise<void>) {
    this.#handle = handle
    this.#file = file
    this.#publish = publish
  }

  /** Activities and characters so far. */
  get size() {
    return { activities: this.#keys.length, characters: this.#characters }
  }

  /** A line of another activity. */
  async addActivity(line: string, key: ActivityKey): Promise<void> {
    this.#keys.push(key)
    await this.add(line)
  }

  /** A line of another receipt. */
  async addReceipt(line: string, key: ReceiptKey): Promise<void> {
    this.#receipts.push(key)
    await this.add(line)
  }

  async add(line: string): Promise<void> {
    this.#digest.add(line)
    this.#characters += line.length
    await this.#handle.appendFile(`${line}\n`)
  }

  /** Ends the file. It is on disk, under its own name, when this resolves. */
  async finish(): Promise<FinishedFile> {
    await this.add(JSON.stringify({ end: { activities: this.#keys.length } }))
    await this.#handle.sync()
    await this.#handle.close()
    await this.#publish()
    const [keys, receipts] = [this.#keys, this.#receipts]
    return { file: this.#file, digest: this.#digest.digest(), keys, receipts }
  }

  /** Closes a file that is not finished; the next `open` of the folder removes it. */
  async abandon(): Promise<void> {
    await this.#handle.close()
  }
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
}

type Line = { activity?: { organizationId: string; id: string; updatedAt: string }; receipt?: ReceiptKey }

function keyOf({ organizationId, id, updatedAt }: NonNullable<Line["activity"]>): ActivityKey {
  return { organizationId, id, updatedMs: Date.parse(updatedAt) }
}
