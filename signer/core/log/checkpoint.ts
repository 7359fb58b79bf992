import { HASH_BYTES } from "./merkle.ts"
import { readNote, signNote, type SignedNote, verifyNote, writeNote } from "./note.ts"
import { readBase64 } from "../encodings.ts"
import type { NoteKey, NoteSigner } from "./note-key.ts"

/** Head of a log (C2SP tlog-checkpoint): all leaves before `size` have this root. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array }

/** The text of a checkpoint: origin, size and root, each in a line. */
export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`
}

/** The checkpoint of a note's text; undefined: it is none. Lines after the third are allowed, and nothing reads them. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [origin = "", size = "", root = "", ...rest] = text.split("\n")
  const hash = readBase64(root)
  const count = /^(?:0|[1-9]\d{0,15})$/.test(size) ? Number(size) : Number.NaN
  const isWhole = rest.at(-1) === "" && rest.slice(0, -1).every((line) => line !== "")
  if (origin === "" || !Number.isSafeInteger(count) || hash?.length !== HASH_BYTES || !isWhole)
    return undefined
  return { origin, size: count, root: hash }
}

/** A checkpoint that its log signed, as a note. */
export function signCheckpoint(checkpoint: Checkpoint, log: NoteSigner): string {
  const text = writeCheckpoint(checkpoint)
  return writeNote({ text, signatures: [signNote(log, text)] })
}

/** A note whose checkpoint the key of the log signed. */
export type SignedCheckpoint = { readonly checkpoint: Checkpoint; readonly note: SignedNote }

/** The checkpoint of a note that the log's key signed and whose origin is the key's name; undefined: it is none. */
export function openCheckpoint(bytes: Uint8Array, log: NoteKey): SignedCheckpoint | undefined {
  const note = readNote(bytes)
  const checkpoint = note && readCheckpoint(note.text)
  if (note === undefined || checkpoint === undefined || checkpoint.origin !== log.name) return undefined
  return verifyNote(note, [log])?.length === 1 ? { checkpoint, note } : undefined
}
