// Keys of witnesses that no process has, for settings.
import { generateKeyPairSync } from "node:crypto"
import { COSIGNATURE, type NoteSigner, noteSigner, writeNoteKey } from "../../signer/core/log/note-key.ts"

export const newWitnessKey = (name: string): NoteSigner =>
  noteSigner(name, COSIGNATURE, generateKeyPairSync("ed25519").privateKey)

/** The signer's settings with these witnesses. */
export function witnessSettingsOf(witnesses: readonly NoteSigner[], threshold = witnesses.length) {
  return {
    COUNTERSIGN_SIGNER_WITNESSES: witnesses.map(({ key }) => writeNoteKey(key)).join(","),
    COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: String(threshold),
  }
}
