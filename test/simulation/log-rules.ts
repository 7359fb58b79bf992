// The bytes of the log, read as docs/formats/log.md and the pages of C2SP say. Nothing here imports code of the product.
import { createHash, createPublicKey, verify } from "node:crypto"

const sha256 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest()

/** The content of a receipt. `index`: position of its leaf. */
export type LogReceipt = {
  status: number
  lane: number
  era: number
  start: number
  counter: number
  index: number
  salt: Buffer
}

const SALT_BYTES = 32

/** @throws Error for bytes that are no receipt of version 1 */
export function readReceipt(bytes: Uint8Array): LogReceipt {
  const numbers: number[] = []
  let at = 1
  for (let value = 0, factor = 1; at < bytes.length - SALT_BYTES; at++) {
    const byte = bytes[at]!
    value += (byte % 128) * factor
    factor *= 128
    if (byte >= 128) continue
    numbers.push(value)
    value = 0
    factor = 1
  }
  const [status, lane, era, start, counter, offset] = numbers
  if (bytes[0] !== 1 || numbers.length !== 6) throw new Error("a receipt has another format")
  const salt = Buffer.from(bytes.subarray(at))
  return {
    status: status!,
    lane: lane!,
    era: era!,
    start: start!,
    counter: counter!,
    index: start! + offset!,
    salt,
  }
}

export type LoggedDecision = {
  organizationId: string
  activityId: string
  fingerprint: string
  status: number
  decidedAtMs: bigint
}

/** The value of the leaf that the receipt opens as this decision, hexadecimal. */
export function commitmentOf(decision: LoggedDecision, { start, counter, salt }: LogReceipt): string {
  const numbers = Buffer.alloc(25)
  numbers[0] = decision.status
  for (const [at, number] of [BigInt(counter), BigInt(start), decision.decidedAtMs].entries())
    numbers.writeBigUInt64BE(number, 1 + 8 * at)
  const { organizationId, activityId, fingerprint } = decision
  const tag = Buffer.from("countersign/v1/log-decision\0")
  const ids = Buffer.from(organizationId + activityId)
  return sha256(tag, salt, ids, Buffer.from(fingerprint, "hex"), numbers).toString("hex")
}

export const LEAF_BYTES = 50
const DECISION = 4

/** The commitment of a leaf; undefined: the leaf is about something else. */
export function decisionIn(leaf: Uint8Array): string | undefined {
  return leaf[1] === DECISION ? Buffer.from(leaf.subarray(18)).toString("hex") : undefined
}

export const leafHash = (leaf: Uint8Array): Buffer => sha256(Buffer.from([0]), leaf)

/** Root of the tree of RFC 6962 over these leaves. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return sha256()
  if (hashes.length === 1) return hashes[0]!
  const left = 2 ** Math.floor(Math.log2(hashes.length - 1))
  return sha256(Buffer.from([1]), rootOf(hashes.slice(0, left)), rootOf(hashes.slice(left)))
}

export type LogHead = { origin: string; size: number; root: Buffer }

const SPKI_OF_ED25519 = Buffer.from("302a300506032b6570032100", "hex")
const KEY_ID_BYTES = 4

/** The head of a checkpoint that this key signed. @throws Error for any other note */
export function readHead(note: Uint8Array, publicKey: Uint8Array): LogHead {
  const whole = Buffer.from(note).toString()
  const end = whole.indexOf("\n\n") + 1
  const [text, signatures] = [whole.slice(0, end), whole.slice(end + 1)]
  const [origin = "", size = "", root = ""] = text.split("\n")
  const key = createPublicKey({
    key: Buffer.concat([SPKI_OF_ED25519, publicKey]),
    format: "der",
    type: "spki",
  })
  const isSigned = signatures.split("\n").some((line) => {
    const [, name, base64 = ""] = line.split(" ")
    const signature = Buffer.from(base64, "base64").subarray(KEY_ID_BYTES)
    return name === origin && verify(null, Buffer.from(text), key, signature)
  })
  if (!isSigned) throw new Error("a head is not signed by the log's key")
  return { origin, size: Number(size), root: Buffer.from(root, "base64") }
}
