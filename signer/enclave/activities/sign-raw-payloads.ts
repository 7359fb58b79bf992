import type { Activity } from "./activity.ts"
import { HashBudget } from "../../core/payload/typed-data/budget.ts"
import { readPayloadFor } from "./shared/payloads.ts"

/** Reads all payloads before it signs the first: either all are signed or none. */
export const signRawPayloads: Activity<"signRawPayloads"> = {
  run({ signWith, payloads, encoding, hashFunction }, { vault }) {
    const key = vault.signingKey(signWith)
    const budget = new HashBudget()
    const readings = payloads.map((payload, index) =>
      readPayloadFor({ payload, encoding, hashFunction }, key, `parameters.payloads[${index}]`, budget),
    )
    return { signatures: readings.map((reading) => key.sign(reading)) }
  },
}
