import type { JsonMembers } from "../../../../proto/strict-json.ts"
import { createHash } from "node:crypto"
import { Refusal } from "../../refusal.ts"
import { readBodyText } from "../../request/read-body.ts"

/** A stamped request, read by the signer's own reader. */
export type ShownRequest = {
  type: string
  /** The organization's id in lower case. */
  organizationId: string
  /** The intent as activities show it: the parameters without null and unknown members, under the intent's name. */
  intent: JsonMembers
}

/** Reads a stamped text; undefined: not a request that this release knows. */
export function readRequest(text: string): ShownRequest | undefined {
  try {
    const { activity, organizationId, clean } = readBodyText(text)
    return { type: activity.type, organizationId, intent: { [activity.intentName]: clean } }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** SHA-256 of a text in UTF-8, lower-case hexadecimal. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
