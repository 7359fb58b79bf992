// Reads parameters as both tiers do, before anything is stamped. Loaded when the first dialog opens.
import { activityTypes } from "../../../proto/catalog.ts"
import { ReadFault, readMessage } from "../../../proto/read.ts"

export { readBodyText } from "../../../signer/core/request/read-body.ts"

/** The API's refusal of these parameters; undefined: it would accept their form. */
export function faultOfParameters(
  type: string,
  parameters: object,
): { path: string; sentence: string } | undefined {
  const entry = activityTypes.get(type)
  if (entry === undefined) return { path: "", sentence: `${type} is no activity type` }
  try {
    readMessage(entry.intentSchema, parameters, "parameters")
    return undefined
  } catch (error) {
    if (error instanceof ReadFault) return error
    throw error
  }
}
