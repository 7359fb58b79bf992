import type { Activity } from "./activity.ts"
import { Effort } from "../../core/payload/typed-data/effort.ts"
import { readPayloadFor } from "./shared/payloads.ts"

/** Reads all payloads before it signs the first: either all are signed or none. */
export const signRawPayloads: Activity<"signRawPayloads"> = {
  run({ signWith, payloads, encoding, hashFunction }, { vault }) {
    const key = vault.signingKey(signWith)
    const effort = new Effort()
    const readings = payloads.map((payload, index) =>
      readPayloadFor({ payload, encoding, hashFunction }, key, `parameters.payloads[${index}]`, effort),
    )
    return { signatures: readings.map((reading) => key.sign(reading)) }
  },
}
