// Request bodies: what is read is read again from the parameters as they are kept and shown.
import { toJson } from "@bufbuild/protobuf"
import { activityTypes } from "../../../proto/catalog.ts"
import { readRequest } from "../../../signer/core/proof/verify/request.ts"
import { type ReadBody, readBody, readBodyText } from "../../../signer/core/request/read-body.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { randomMessage } from "../../proto/codec/random-message.ts"
import { type Reader, requireSame } from "../engine/reader.ts"
import { json } from "../formats/json.ts"
import { Random } from "../random.ts"

const ID = "0198c0de-0000-7000-8000-000000000001"
/** Bodies to begin with, each of another activity. */
const SEEDS = 80

export const requestBody: Reader<ReadBody> = {
  format: json,
  maxLength: 16_384,
  seeds() {
    const random = new Random(3)
    return [...activityTypes.values()].slice(-SEEDS).flatMap(({ type, intentSchema }) => {
      const body = { type, organizationId: ID, timestampMs: "1767225600000" }
      return [{}, jsonOf(intentSchema, random)].map((parameters) => JSON.stringify({ ...body, parameters }))
    })
  },
  read: (input) => readBody(input),
  isRefusal: (error) => error instanceof Refusal,
  judge(input, outcome) {
    const text = input.toString()
    if (!Buffer.from(text).equals(input)) return
    const shown = readRequest(text)
    if ("refusal" in outcome) {
      requireSame(shown, undefined, "the verifier reads a body that is refused")
      return
    }
    const { activity, organizationId, clean, parameters, timestampMs } = outcome.value
    const named = { type: activity.type, organizationId, intent: { [activity.intentName]: clean } }
    requireSame(shown, named, "the verifier's reading")
    const again = readBodyText(
      JSON.stringify({
        type: activity.type,
        organizationId,
        timestampMs: String(timestampMs),
        parameters: clean,
      }),
    )
    requireSame(again.parameters, parameters, "the parameters as they are kept")
    requireSame(again.clean, clean, "the parameters as they are shown")
  },
}

/** Random members; a message that protobuf's JSON has no form for has none. */
function jsonOf(schema: Parameters<typeof randomMessage>[0], random: Random): unknown {
  try {
    return toJson(schema, randomMessage(schema, random))
  } catch {
    return {}
  }
}
