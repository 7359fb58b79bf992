import { type Json, objectIn, readObject, textIn } from "./json.ts"

/** What a proof is about. */
export type Payload = { type: string; timestampMs: string; address: Json; outcome: Json }

/** The text of a proof whose signature was verified; undefined where it is no statement. */
export function readPayload(text: string): Payload | undefined {
  const json = readObject(text)
  if (json === undefined) return undefined
  return {
    type: textIn(json, "type"),
    timestampMs: textIn(json, "timestampMs"),
    address: objectIn(json, "addressDerivationProof"),
    outcome: objectIn(json, "policyOutcomeProof"),
  }
}
