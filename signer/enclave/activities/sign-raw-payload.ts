import type { Activity, ActivityContext } from "./activity.ts"
import { HashBudget } from "../../core/payload/typed-data/budget.ts"
import { type PayloadParameters, readPayloadFor } from "./shared/payloads.ts"

export const signRawPayload: Activity<"signRawPayload"> = {
  run: ({ privateKeyId, ...parameters }, context) => signOne(privateKeyId, parameters, context),
}

export const signRawPayloadV2: Activity<"signRawPayload", "V2"> = {
  run: ({ signWith, ...parameters }, context) => signOne(signWith, parameters, context),
}

function signOne(signWith: string, parameters: PayloadParameters, { vault }: ActivityContext) {
  const key = vault.signingKey(signWith)
  return key.sign(readPayloadFor(parameters, key, "parameters.payload", new HashBudget()))
}
