import { closeSync, openSync, readSync, statSync } from "node:fs"
import { auditFilesIn, wholeLinesOf } from "../../process/audit-folder.ts"

/** Bytes that are read at once. */
const READ_BYTES = 1024 * 1024

/** A line with the place behind it. */
export type ReadLine = { readonly line: string; readonly place: FilePosition }

/** A place in the files: bytes of a file that were read. */
export type FilePosition = { readonly file: string; readonly offset: number }

/** Reads records as they are written, file after file. */
export class AuditReader {
  readonly #directory: string
  #place: FilePosition | undefined

  /** @param place undefined: from the first record */
  constructor(directory: string, place?: FilePosition) {
    this.#directory = directory
    this.#place = place
  }

  /** Behind the last whole line. */
  static atEnd(directory: string): AuditReader {
    const file = auditFilesIn(directory).at(-1)
    return new AuditReader(
      directory,
      file === undefined ? undefined : { file, offset: bytesOf(wholeLinesOf(file)) },
    )
  }

  /** The next whole lines, at most so many, or as many as fit into one reading; none: there are none yet. */
  read(most: number): ReadLine[] {
    const files = auditFilesIn(this.#directory)
    let place = this.#place ?? (files[0] === undefined ? undefined : { file: files[0], offset: 0 })
    while (place !== undefined) {
      const found = linesAt(place, most)
      this.#place = found.at(-1)?.place ?? place
      if (found.length > 0) return found
      const next = files[files.indexOf(place.file) + 1]
      place = next === undefined ? undefined : { file: next, offset: 0 }
    }
    return []
  }

  /** The place behind the last line that was read; undefined: the beginning. */
  get place(): FilePosition | undefined {
    return this.#place
  }

  /** Goes back to a place. */
  rewind(place: FilePosition | undefined): void {
    this.#place = place
  }
}

function linesAt({ file, offset }: FilePosition, most: number): ReadLine[] {
  const found: ReadLine[] = []
  let at = offset
  for (const line of readAt(file, offset)) {
    if (found.length >= most) break
    at += Buffer.byteLength(line) + 1
    found.push({ line, place: { file, offset: at } })
  }
  return found
}

function readAt(file: string, offset: number): string[] {
  const length = Math.min(READ_BYTES, (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - offset)
  if (length <= 0) return []
  const bytes = Buffer.alloc(length)
  const descriptor = openSync(file, "r")
  try {
    const read = readSync(descriptor, bytes, 0, length, offset)
    const whole = bytes.subarray(0, read)
    return whole
      .subarray(0, whole.lastIndexOf(0x0a) + 1)
      .toString()
      .split("\n")
      .slice(0, -1)
  } finally {
    closeSync(descriptor)
  }
}

const bytesOf = (lines: readonly string[]) =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
