import type { JsonMembers } from "../../../../proto/strict-json.ts"
import { objectIn, readObject, textIn } from "./json.ts"

/** A proof's statement. `address` and `outcome`: the part of that kind of proof, else empty. */
export type ProofStatement = { type: string; timestampMs: string; address: JsonMembers; outcome: JsonMembers }

/** Reads the text of a proof whose signature was verified; undefined: not a statement. */
export function readPayload(text: string): ProofStatement | undefined {
  const json = readObject(text)
  if (json === undefined) return undefined
  return {
    type: textIn(json, "type"),
    timestampMs: textIn(json, "timestampMs"),
    address: objectIn(json, "addressDerivationProof"),
    outcome: objectIn(json, "policyOutcomeProof"),
  }
}
