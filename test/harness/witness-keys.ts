// Keys of witnesses and logs that no process has.
import { generateKeyPairSync } from "node:crypto"
import {
  COSIGNATURE,
  ED25519,
  type NoteSigner,
  noteSigner,
  writeNoteKey,
} from "../../signer/core/log/note-key.ts"

export const newWitnessKey = (name: string): NoteSigner =>
  noteSigner(name, COSIGNATURE, generateKeyPairSync("ed25519").privateKey)

/** A log that no signer has. */
export const newLogKey = (origin: string): NoteSigner =>
  noteSigner(origin, ED25519, generateKeyPairSync("ed25519").privateKey)

/** The signer's settings with these witnesses. */
export function witnessSettingsOf(witnesses: readonly NoteSigner[], threshold = witnesses.length) {
  return {
    COUNTERSIGN_SIGNER_WITNESSES: witnesses.map(({ key }) => writeNoteKey(key)).join(","),
    COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: String(threshold),
  }
}
