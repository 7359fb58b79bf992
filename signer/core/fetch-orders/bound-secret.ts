import { isUtf8 } from "node:buffer"
import { readUuid } from "../uuid.ts"

/** Purposes of secrets that are sealed to the fetcher. */
export type SecretPurpose = "client-secret" | "on-ramp-key"

/** Length of `<UUID>:`. */
const ORGANIZATION_LENGTH = 37

/** A secret's text, read. `organizationId`: UUID in lower case; "" if the text is bound to none. */
export type BoundSecret = { organizationId: string; secret: Uint8Array }

/**
 * The text to seal for one organization: `countersign/v1/` purpose `:` organization id `:` secret, in UTF-8. Published clients
 * seal the secret alone, and a party that relays it can register it for an organization of their own first.
 *
 * @param organizationId UUID
 */
export function bindSecret(purpose: SecretPurpose, organizationId: string, secret: Uint8Array): Uint8Array {
  return Buffer.concat([tagOf(purpose), Buffer.from(`${organizationId.toLowerCase()}:`), secret])
}

/**
 * Reads an opened text. Undefined: the text is no secret: empty, not UTF-8, or bound to something else than an
 * organization's id. `secret` is a view of the text.
 */
export function readBoundSecret(purpose: SecretPurpose, text: Uint8Array): BoundSecret | undefined {
  if (text.length === 0 || !isUtf8(text)) return undefined
  const tag = tagOf(purpose)
  if (!tag.equals(text.subarray(0, tag.length))) return { organizationId: "", secret: text }
  const end = tag.length + ORGANIZATION_LENGTH
  const binding = Buffer.from(text.subarray(tag.length, end)).toString("latin1")
  const isComplete = text.length > end && binding.endsWith(":")
  const organizationId = isComplete ? readUuid(binding.slice(0, -1)) : undefined
  return organizationId === undefined ? undefined : { organizationId, secret: text.subarray(end) }
}

function tagOf(purpose: SecretPurpose): Buffer {
  return Buffer.from(`countersign/v1/${purpose}:`)
}
