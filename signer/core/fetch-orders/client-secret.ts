import { isUtf8 } from "node:buffer"
import { readUuid } from "../uuid.ts"

const TAG = Buffer.from("countersign/v1/client-secret:")
const BINDING_LENGTH = TAG.length + 37

/**
 * The text to seal for one organization: `countersign/v1/client-secret:` organization id `:` secret, in UTF-8. Published
 * clients seal the secret alone, and whoever carries that can register it for an organization of their own first.
 *
 * @param organizationId UUID
 */
export function bindClientSecret(organizationId: string, secret: Uint8Array): Uint8Array {
  return Buffer.concat([TAG, Buffer.from(`${organizationId.toLowerCase()}:`), secret])
}

/**
 * The organization that an opened text is bound to, UUID in lower case; "" if it is bound to none. Undefined: the text is
 * no client secret: empty, not UTF-8, or bound to something else than an organization's id.
 */
export function boundOrganization(text: Uint8Array): string | undefined {
  if (text.length === 0 || !isUtf8(text)) return undefined
  if (!TAG.equals(text.subarray(0, TAG.length))) return ""
  const binding = Buffer.from(text.subarray(TAG.length, BINDING_LENGTH)).toString("latin1")
  const isComplete = text.length > BINDING_LENGTH && binding.endsWith(":")
  return isComplete ? readUuid(binding.slice(0, -1)) : undefined
}
