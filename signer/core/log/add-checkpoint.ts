import { HASH_BYTES } from "./merkle.ts"
import { readBase64 } from "../encodings.ts"

// The request of a log to a witness (C2SP tlog-witness): "old <size>", the hashes of a consistency proof, an empty line, a checkpoint.

/** Longest body that is read, bytes: a proof of 63 hashes, and a checkpoint with many signatures. */
export const MAX_ADD_CHECKPOINT_BYTES = 16 * 1024

/** A consistency proof has fewer hashes in any tree. */
const MAX_PROOF = 63

/** `note`: the checkpoint with its signatures, not verified. */
export type AddCheckpoint = {
  readonly oldSize: number
  readonly proof: readonly Uint8Array[]
  readonly note: Uint8Array
}

export function writeAddCheckpoint({ oldSize, proof, note }: AddCheckpoint): Buffer {
  const hashes = proof.map((hash) => `${Buffer.from(hash).toString("base64")}\n`).join("")
  return Buffer.concat([Buffer.from(`old ${oldSize}\n${hashes}\n`), note])
}

/** The request of a body; undefined: it is none. */
export function readAddCheckpoint(body: Uint8Array): AddCheckpoint | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const end = bytes.indexOf("\n\n")
  if (end < 0 || bytes.length > MAX_ADD_CHECKPOINT_BYTES) return undefined
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\n")
  const [, digits] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? []
  const proof = lines.slice(0, MAX_PROOF + 1).map(readBase64)
  const isProof = proof.length <= MAX_PROOF && proof.every((hash) => hash?.length === HASH_BYTES)
  const oldSize = Number(digits)
  if (!Number.isSafeInteger(oldSize) || !isProof) return undefined
  return { oldSize, proof: proof as Uint8Array[], note: bytes.subarray(end + 2) }
}
