import { readBase64 } from "../encodings.ts"
import {
  isKeyName,
  type NoteKey,
  type NoteSigner,
  signText,
  type VerifiedSignature,
  verifyText,
} from "./note-key.ts"

// Signed notes (C2SP signed-note): a text, an empty line, and a line for each signature.

/** A signature as it stands in a note, not verified. */
type NoteSignature = { readonly name: string; readonly id: number; readonly signature: Uint8Array }

/** A note that was read and not verified. Its text ends with a newline. */
export type SignedNote = { readonly text: string; readonly signatures: readonly NoteSignature[] }

/** Longest note, bytes: a checkpoint with all signatures that are read has fewer. */
const MAX_NOTE_BYTES = 64 * 1024

/** Most signatures of a note that are read. */
const MAX_SIGNATURES = 100

/** The note of these bytes; undefined: they are none, or too many. */
export function readNote(bytes: Uint8Array): SignedNote | undefined {
  const note = bytes.length > MAX_NOTE_BYTES ? undefined : readText(bytes)
  // The last empty line divides: a text may have empty lines.
  const end = note?.lastIndexOf("\n\n") ?? -1
  if (note === undefined || end < 0 || !note.endsWith("\n")) return undefined
  const lines = note.slice(end + 2, -1).split("\n")
  const signatures = lines.slice(0, MAX_SIGNATURES + 1).map(readSignatureLine)
  if (signatures.length > MAX_SIGNATURES || !signatures.every((one) => one !== undefined)) return undefined
  return { text: note.slice(0, end + 1), signatures }
}

/** A signature line without its newline: `— <name> <base64(id(4, BE) || signature)>`; undefined: it is none. */
function readSignatureLine(line: string): NoteSignature | undefined {
  const [, name = "", base64 = ""] = /^— (\S+) (\S+)$/u.exec(line) ?? []
  const bytes = readBase64(base64)
  if (!isKeyName(name) || bytes === undefined || bytes.length <= ID_BYTES) return undefined
  return { name, id: bytes.readUInt32BE(), signature: bytes.subarray(ID_BYTES) }
}

const ID_BYTES = 4

/** UTF-8 without control characters other than newline; undefined: it is none. */
function readText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    return /[\u0000-\u0009\u000b-\u001f]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** The signature lines of a reply that has nothing else; undefined: it is none. */
export function readSignatureLines(bytes: Uint8Array): readonly NoteSignature[] | undefined {
  const note = readNote(Buffer.concat([Buffer.from("\n\n"), bytes]))
  return note?.text === "\n" ? note.signatures : undefined
}

export function writeNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(writeSignatureLine).join("")}`
}

export function writeSignatureLine({ name, id, signature }: NoteSignature): string {
  const bytes = Buffer.alloc(ID_BYTES + signature.length)
  bytes.writeUInt32BE(id)
  bytes.set(signature, ID_BYTES)
  return `— ${name} ${bytes.toString("base64")}\n`
}

/** Signs a text. @param timeSeconds Unix time, for a cosignature alone */
export function signNote(signer: NoteSigner, text: string, timeSeconds?: number): NoteSignature {
  const { name, id } = signer.key
  return { name, id, signature: signText(signer, text, timeSeconds) }
}

/**
 * The signatures of these keys, each once. Signatures of other keys are ignored. Undefined: a line that names one of the keys does
 * not verify, and the note is rejected as a whole.
 */
export function verifyNote(note: SignedNote, keys: readonly NoteKey[]): VerifiedSignature[] | undefined {
  const verified = new Map<NoteKey, VerifiedSignature>()
  for (const { name, id, signature } of note.signatures) {
    const key = keys.find((one) => one.name === name && one.id === id)
    if (key === undefined) continue
    const found = verifyText(key, note.text, signature)
    if (found === undefined) return undefined
    if (!verified.has(key)) verified.set(key, found)
  }
  return [...verified.values()]
}
