import { createHash } from "node:crypto"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { type NoteKey, writeNoteKey } from "../log/note-key.ts"

/** Witnesses of the log, and how many of them must cosign before a signer that starts serves. */
export type WitnessList = { readonly keys: readonly NoteKey[]; readonly threshold: number }

export const WITNESSES_DIGEST_LENGTH = 32

const DOMAIN = Buffer.from("countersign/v1/witnesses")

/** SHA-256( field(domain) || field(threshold(1)) || field(key as text)... ), with the keys' texts in ascending order of their bytes. */
export function witnessesDigest({ keys, threshold }: WitnessList): Uint8Array {
  const texts = keys
    .map((key) => Buffer.from(writeNoteKey(key)))
    .toSorted((one, other) => Buffer.compare(one, other))
  const bytes = lengthPrefixed(DOMAIN, Uint8Array.of(threshold), ...texts)
  return createHash("sha256").update(bytes).digest()
}
