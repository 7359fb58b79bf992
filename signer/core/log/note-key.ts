import { readBase64 } from "../encodings.ts"
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto"

/** Types of signatures (C2SP signed-note): of a log over the note's text, and of a witness with the time of its cosignature. */
export const ED25519 = 0x01
export const COSIGNATURE = 0x04

type KeyType = typeof ED25519 | typeof COSIGNATURE

/** A key that verifies signatures of notes. Its name and id tell which line of a note is its own. */
export type NoteKey = {
  readonly name: string
  readonly type: KeyType
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** First four bytes of SHA-256(name || 0x0A || type || public key). */
  readonly id: number
  readonly verifier: KeyObject
}

/** A key that signs notes. */
export type NoteSigner = { readonly key: NoteKey; readonly privateKey: KeyObject }

const PUBLIC_KEY_BYTES = 32
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")

/** @throws {RangeError} for a name with a space, a plus or a control character, and for a key of another length */
export function noteKey(name: string, type: KeyType, publicKey: Uint8Array): NoteKey {
  if (!isKeyName(name)) throw new RangeError("a key's name has no space, no plus and no control character")
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new RangeError("an Ed25519 public key has 32 bytes")
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([type]), publicKey])
  const verifier = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: "der",
    type: "spki",
  })
  const id = hash("sha256", named, "buffer").readUInt32BE()
  return { name, type, publicKey: Uint8Array.from(publicKey), id, verifier }
}

/** The signer of an Ed25519 private key. */
export function noteSigner(name: string, type: KeyType, privateKey: KeyObject): NoteSigner {
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  return { key: noteKey(name, type, Buffer.from(x, "base64url")), privateKey }
}

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex")

/** The signer of the private key of RFC 8032, 32 bytes. The caller wipes them. */
export function noteSignerOf(name: string, type: KeyType, bytes: Uint8Array): NoteSigner {
  const key = Buffer.concat([PKCS8_PREFIX, bytes])
  try {
    return noteSigner(name, type, createPrivateKey({ key, format: "der", type: "pkcs8" }))
  } finally {
    key.fill(0)
  }
}

/** Keys of this type, a line each. Empty lines and those that begin with "#" are ignored. Undefined: a line is no such key. */
export function readNoteKeys(text: string, type: KeyType): NoteKey[] | undefined {
  const lines = text.split(/[\n,]/).map((line) => line.trim())
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#")).map(readNoteKey)
  return keys.every((key) => key?.type === type) ? (keys as NoteKey[]) : undefined
}

export function isKeyName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  return name !== "" && name.isWellFormed() && !/[\s+\u0000-\u001f\u007f\u0085]/u.test(name)
}

/** The key as text: `<name>+<id, 8 hexadecimal digits>+<base64(type || public key)>`. */
export function writeNoteKey({ name, id, type, publicKey }: NoteKey): string {
  const key = Buffer.concat([Buffer.from([type]), publicKey]).toString("base64")
  return `${name}+${id.toString(16).padStart(8, "0")}+${key}`
}

/** The key of a text; undefined: it is none, its type is unknown, or its id is another key's. */
export function readNoteKey(text: string): NoteKey | undefined {
  const [, name = "", id = "", base64 = ""] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(text) ?? []
  const bytes = readBase64(base64)
  const type = bytes?.[0]
  if (bytes?.length !== 1 + PUBLIC_KEY_BYTES || !isKeyName(name) || !isKeyType(type)) return undefined
  const key = noteKey(name, type, bytes.subarray(1))
  return key.id === Number.parseInt(id, 16) ? key : undefined
}

function isKeyType(type: number | undefined): type is KeyType {
  return type === ED25519 || type === COSIGNATURE
}

/** A verified signature. `timeSeconds`: Unix time of a cosignature, as the witness states it. */
export type VerifiedSignature = { readonly key: NoteKey; readonly timeSeconds?: number }

/** Signs the text of a note. @param timeSeconds Unix time, for a cosignature alone */
export function signText({ key, privateKey }: NoteSigner, text: string, timeSeconds = 0): Uint8Array {
  if (key.type === ED25519) return sign(null, Buffer.from(text), privateKey)
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(timeSeconds))
  return Buffer.concat([time, sign(null, cosigned(text, timeSeconds), privateKey)])
}

/** Verifies a signature of the text of a note; undefined: it is not the key's. */
export function verifyText(key: NoteKey, text: string, signature: Uint8Array): VerifiedSignature | undefined {
  if (key.type === ED25519)
    return verify(null, Buffer.from(text), key.verifier, signature) ? { key } : undefined
  if (signature.length !== TIMED_BYTES) return undefined
  const timeSeconds = Number(Buffer.from(signature.subarray(0, 8)).readBigUInt64BE())
  if (!Number.isSafeInteger(timeSeconds)) return undefined
  const isSigned = verify(null, cosigned(text, timeSeconds), key.verifier, signature.subarray(8))
  return isSigned ? { key, timeSeconds } : undefined
}

const TIMED_BYTES = 8 + 64

/** What a witness signs (C2SP tlog-cosignature, Ed25519). */
function cosigned(text: string, timeSeconds: number): Uint8Array {
  return Buffer.from(`cosignature/v1\ntime ${timeSeconds}\n${text}`)
}
