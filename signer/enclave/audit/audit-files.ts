import {
  chmodSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { auditFilesIn } from "../../process/audit-folder.ts"
import { syncDirectory } from "../ledger/files.ts"

/** Directory 0750 and files 0640: a program of the directory's group reads them and cannot write. */
const [DIRECTORY_MODE, FILE_MODE] = [0o750, 0o640]

/** The files that the signer writes: lines are appended, and durable when the call returns. */
export class AuditFiles {
  readonly #directory: string
  readonly #bytesPerFile: number
  #number: number
  #descriptor: number | undefined
  /** Bytes of the last file that are whole lines; whatever follows is overwritten. */
  #length: number

  constructor(directory: string, bytesPerFile: number) {
    this.#directory = directory
    this.#bytesPerFile = bytesPerFile
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE })
    const last = auditFilesIn(directory).at(-1)
    this.#number = last === undefined ? 1 : Number(last.slice(-14, -6))
    this.#length = last === undefined ? 0 : readFileSync(last).lastIndexOf(0x0a) + 1
  }

  /** @throws the file system's error; then the line is not in the file */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`)
    if (this.#length > 0 && this.#length + bytes.length > this.#bytesPerFile) this.#rotate()
    try {
      this.#write(bytes)
    } catch (error) {
      // The next try opens the file again: nothing is known about what is in it behind the last whole line.
      this.close()
      throw error
    }
    this.#length += bytes.length
  }

  #write(bytes: Buffer): void {
    const descriptor = this.#open()
    if (statSync(this.#path).size > this.#length) ftruncateSync(descriptor, this.#length)
    for (let at = 0; at < bytes.length; )
      at += writeSync(descriptor, bytes, at, bytes.length - at, this.#length + at)
    fsyncSync(descriptor)
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #rotate(): void {
    this.close()
    this.#number += 1
    this.#length = 0
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor
    const isNew = statSync(this.#path, { throwIfNoEntry: false }) === undefined
    const descriptor = openSync(this.#path, isNew ? "wx" : "r+", FILE_MODE)
    this.#descriptor = descriptor
    if (isNew) {
      chmodSync(this.#path, FILE_MODE)
      syncDirectory(this.#directory)
    }
    return descriptor
  }

  get #path(): string {
    return join(this.#directory, `audit-${String(this.#number).padStart(8, "0")}.jsonl`)
  }
}
