import type { LongActivity } from "../../activities/activity.ts"
import { HashBudget } from "../../../core/payload/typed-data/budget.ts"
import type { Signable, Signature } from "../../keys/signing-key.ts"
import { readPayloadFor } from "./payloads.ts"

const needs = ["signingKey"] as const

/**
 * Reads all payloads before it signs the first: either all are signed or none. The key is asked for before each
 * signature, because between two of them its account may be deleted.
 */
export const signRawPayloads: LongActivity<"signRawPayloads", typeof needs> = {
  needs,
  *run({ signWith, payloads, encoding, hashFunction }, { signingKey }) {
    const key = signingKey(signWith)
    const budget = new HashBudget()
    const readings: Signable[] = []
    for (const [index, payload] of payloads.entries()) {
      const field = `parameters.payloads[${index}]`
      readings.push(readPayloadFor({ payload, encoding, hashFunction }, key, field, budget))
      yield
    }
    const signatures: Signature[] = []
    for (const reading of readings) {
      signatures.push(signingKey(signWith).sign(reading))
      yield
    }
    return { signatures }
  },
}
