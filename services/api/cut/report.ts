import { type FileHandle, open } from "node:fs/promises"
import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"

/** Name and version of the report's format, in its first line. */
const CUT_FORMAT = "countersign-database-cut-1"

/** Characters that are written at once. */
const AT_ONCE = 1024 * 1024

/** The report of a cut: one JSON object a line. It holds what the database loses, so it is on disk before each removal. */
export class CutReport {
  readonly #handle: FileHandle
  #lines: string[] = []
  #characters = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Creates the file. @throws {StartError} refused: there is one already */
  static async create(path: string, header: object): Promise<CutReport> {
    try {
      const report = new CutReport(await open(path, "wx", 0o600))
      await report.add({ format: CUT_FORMAT, ...header })
      return report
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
      throw new StartError(REFUSED, `${path} exists already; name another file with --report`)
    }
  }

  /** @param line an object, or the text of one */
  async add(line: object | string): Promise<void> {
    const text = typeof line === "string" ? line : JSON.stringify(line)
    this.#lines.push(text)
    this.#characters += text.length
    if (this.#characters > AT_ONCE) await this.#write()
  }

  /** Resolves once everything is on disk. */
  async sync(): Promise<void> {
    await this.#write()
    await this.#handle.sync()
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  async #write(): Promise<void> {
    const text = this.#lines.map((line) => `${line}\n`).join("")
    this.#lines = []
    this.#characters = 0
    await this.#handle.appendFile(text)
  }
}
