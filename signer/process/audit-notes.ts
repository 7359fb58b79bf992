// Notes of commands that call no signer. They lie in the folder of the audit stream until the signer has recorded them.
import { randomBytes } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { type CommandNote, readNote, writeNote } from "../core/audit/note.ts"

const NAME = /^command-\d{15}-\d{4}-[0-9a-f]{16}\.json$/
const UNFINISHED_NAME = /^command-\d{15}-\d{4}-[0-9a-f]{16}\.json\.new$/

/** Number of notes that this process has left: two may have the same millisecond. */
let notesLeft = 0

/** More than a note has. */
const MAX_NOTE_BYTES = 2048

/** Leaves a note, durable, and under its name at once. */
export function leaveNote(directory: string, note: CommandNote): void {
  const order = `${String(note.atMs).padStart(15, "0")}-${String(notesLeft++ % 10_000).padStart(4, "0")}`
  const name = `command-${order}-${randomBytes(8).toString("hex")}.json`
  const path = join(directory, name)
  try {
    writeDurably(`${path}.new`, writeNote(note))
    renameSync(`${path}.new`, path)
  } catch (error) {
    rmSync(`${path}.new`, { force: true })
    throw error
  }
  const folder = openSync(directory, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function writeDurably(path: string, text: string): void {
  const descriptor = openSync(path, "wx", 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A note is written within a second. */
const UNFINISHED_MS = 3_600_000

/** Removes what commands left that were killed while they wrote a note. Nothing was done at that moment, or all of it was. */
export function removeUnfinishedNotes(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory).filter((each) => UNFINISHED_NAME.test(each))) {
    const path = join(directory, name)
    const { mtimeMs = nowMs } = lstatSync(path, { throwIfNoEntry: false }) ?? {}
    if (nowMs - mtimeMs > UNFINISHED_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** A note's file; `note` undefined: its content is none. */
export type FoundNote = { readonly path: string; readonly note: CommandNote | undefined }

/** At most so many notes, in the order of their names. */
export function notesIn(directory: string, most: number): FoundNote[] {
  const names = readdirSync(directory).filter((name) => NAME.test(name))
  return names
    .toSorted()
    .slice(0, most)
    .map((name) => ({ path: join(directory, name), note: noteAt(join(directory, name)) }))
}

/** One that this user cannot read, or that is gone again, is no note: it must not hold up those after it. */
function noteAt(path: string): CommandNote | undefined {
  try {
    const stat = lstatSync(path)
    return stat.isFile() && stat.size <= MAX_NOTE_BYTES ? readNote(readFileSync(path, "utf8")) : undefined
  } catch (error) {
    if (UNREADABLE.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

const UNREADABLE: readonly unknown[] = ["EACCES", "EPERM", "ENOENT"]
