import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { HashBudget } from "../../../core/payload/typed-data/budget.ts"
import { type PayloadParameters, readPayloadFor } from "./payloads.ts"

const needs = ["signingKey"] as const

export const signRawPayload: Activity<"signRawPayload", typeof needs> = {
  needs,
  run: ({ privateKeyId, ...parameters }, context) => signOne(privateKeyId, parameters, context),
}

export const signRawPayloadV2: Activity<"signRawPayload", typeof needs, "V2"> = {
  needs,
  run: ({ signWith, ...parameters }, context) => signOne(signWith, parameters, context),
}

function signOne(
  signWith: string,
  parameters: PayloadParameters,
  { signingKey }: ActivityContext<typeof needs>,
) {
  const key = signingKey(signWith)
  return key.sign(readPayloadFor(parameters, key, "parameters.payload", new HashBudget()))
}
