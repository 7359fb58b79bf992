import { counted } from "../core/counted.ts"
import { COSIGNATURE, type NoteKey, readNoteKeys } from "../core/log/note-key.ts"
import { invalid, shownBy, type SettingValues, trueOrUnset, wholeNumber } from "../core/settings/settings.ts"
import type { WitnessPolicy } from "./log/witnesses.ts"

/** More witnesses than any deployment has. */
const MAX_WITNESSES = 32

const SENTENCE =
  "write the keys of witnesses, separated by commas, as countersign-witness key prints them: <name>+<id>+<base64>"

/** The settings of the log's witnesses, without prefix. */
export const witnessSettings = {
  WITNESSES: shownBy<readonly NoteKey[]>(
    (text = "") => {
      const keys = readNoteKeys(text, COSIGNATURE)
      if (keys === undefined || keys.length > MAX_WITNESSES) throw invalid(SENTENCE)
      // A cosignature does not commit to its witness's name: one key under two names would count twice.
      const distinct = new Set(keys.map(({ publicKey }) => Buffer.from(publicKey).toString("hex")))
      if (distinct.size < keys.length) throw invalid("two of the witnesses have one key")
      return keys
    },
    (keys) => keys.map(({ name }) => name).join(", "),
  ),
  WITNESS_THRESHOLD: wholeNumber(0, 0, MAX_WITNESSES),
  WITNESS_BEFORE_ANSWER: trueOrUnset,
}

type Values = SettingValues<typeof witnessSettings>

/** Faults of these settings together. */
export function faultsOfWitnesses(values: Partial<Values>): string[] {
  const { WITNESSES: keys, WITNESS_THRESHOLD: threshold = 0, WITNESS_BEFORE_ANSWER: beforeAnswer } = values
  if (keys === undefined) return []
  return [
    ...(threshold > keys.length
      ? [
          `WITNESS_THRESHOLD: ${threshold} of ${counted(keys.length, "witness", "witnesses")} can never cosign`,
        ]
      : []),
    ...(beforeAnswer === true && keys.length === 0
      ? ["WITNESS_BEFORE_ANSWER: needs COUNTERSIGN_SIGNER_WITNESSES"]
      : []),
  ]
}

/** Without a threshold all witnesses have to cosign. */
export function witnessPolicyOf(values: Values): WitnessPolicy {
  const { WITNESSES: keys, WITNESS_THRESHOLD: threshold, WITNESS_BEFORE_ANSWER: beforeAnswer } = values
  return { keys, threshold: threshold || keys.length, beforeAnswer }
}

/** A checkpoint is signed each second, and ten times where answers wait for witnesses of it. */
export function checkpointMsOf({ WITNESS_BEFORE_ANSWER: beforeAnswer }: Values): number {
  return beforeAnswer ? 100 : 1000
}
