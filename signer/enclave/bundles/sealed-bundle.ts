import { parseStrictJson, StrictJsonError } from "../../../proto/strict-json.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import { openMessage, type SealedMessage } from "./message.ts"

/**
 * Opens a user's bundle: JSON text `{encappedPublic, ciphertext}`, both in hex, sealed to the point of `target`. The
 * caller wipes the plaintext. All faults of opening have the same refusal, so attempts reveal nothing.
 * @throws BUNDLE_MALFORMED, before any key is used; BUNDLE_BROKEN
 */
export function openBundle(target: Secret, text: string, field: string): Secret {
  const opened = openMessage(target, readBundle(text, field))
  if (opened !== undefined) return opened
  throw refuse("BUNDLE_BROKEN", "the bundle does not open with the key of this import", { field })
}

/** @throws BUNDLE_MALFORMED */
export function readBundle(text: string, field: string): SealedMessage {
  const members = readObject(text)
  const encappedPublic = bytesOf(members?.["encappedPublic"])
  const ciphertext = bytesOf(members?.["ciphertext"])
  if (encappedPublic !== undefined && ciphertext !== undefined) return { encappedPublic, ciphertext }
  const sentence =
    "the bundle must be JSON text with encappedPublic and ciphertext, both in hexadecimal digits"
  throw refuse("BUNDLE_MALFORMED", sentence, { field })
}

function readObject(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value = parseStrictJson(text)
    if (typeof value === "object" && value !== null) return value as { readonly [name: string]: unknown }
  } catch (fault) {
    if (!(fault instanceof StrictJsonError)) throw fault
  }
  return undefined
}

const HEX = /^(?:[0-9a-fA-F]{2})*$/

function bytesOf(digits: unknown): Uint8Array | undefined {
  return typeof digits === "string" && HEX.test(digits)
    ? Uint8Array.from(Buffer.from(digits, "hex"))
    : undefined
}
