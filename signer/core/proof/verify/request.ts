import { createHash } from "node:crypto"
import { activityTypes } from "../../../../proto/catalog.ts"
import { ReadFault, readMessage } from "../../../../proto/read.ts"
import { type Json, readObject, textIn } from "./json.ts"

/** A stamped request, read by the signer's own reader. */
export type StampedRequest = {
  type: string
  /** The organization's id in lower case. */
  organizationId: string
  /** The intent as activities show it: the parameters without null and unknown members, under the intent's name. */
  intent: Json
}

/** Reads a stamped text; undefined: not a request that this release knows. */
export function readRequest(text: string): StampedRequest | undefined {
  const json = readObject(text)
  if (json === undefined) return undefined
  const entry = activityTypes.get(textIn(json, "type"))
  if (entry === undefined) return undefined
  try {
    const { clean } = readMessage(entry.intentSchema, json["parameters"], "parameters")
    return {
      type: entry.type,
      organizationId: textIn(json, "organizationId").toLowerCase(),
      intent: { [entry.intentName]: clean },
    }
  } catch (error) {
    if (error instanceof ReadFault) return undefined
    throw error
  }
}

/** SHA-256 of a text in UTF-8, lower-case hexadecimal. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
