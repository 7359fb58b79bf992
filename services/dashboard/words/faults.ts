// Faults in words for people: those of the browser's passkeys, and texts that published clients match, which say no next step.
import { ApiFault } from "../api/client.ts"

/** Names of W3C Web Authentication Level 3 sections 5.1.3 and 5.1.4, and of Web IDL. */
const OF_BROWSER: { readonly [name: string]: string } = {
  NotAllowedError:
    "No passkey was used: the request was cancelled or took too long, or this browser has no passkey for this page. Try again, or log in with an API key.",
  InvalidStateError: "This device has a passkey of this user already. Use it, or add one on another device.",
  NotSupportedError: "This browser or device makes no passkeys of the kinds that are accepted here.",
  SecurityError: "Passkeys work on https pages and on localhost only. Open this page by such an address.",
  AbortError: "The browser ended the request for a passkey. Try again.",
}

const OF_REASON: { readonly [reason: string]: string } = {
  CREDENTIAL_UNKNOWN:
    "This organization does not know the key. Check the organization id, or log in with another key or a passkey.",
  PASSKEY_UNKNOWN:
    "This organization does not know the passkey. Check the organization id, or choose another passkey.",
  IDENTITY_UNKNOWN: "No user of this organization has this identity. Check the organization id.",
  CREDENTIAL_EXPIRED: "The key has expired. Log in again, or use another key.",
}

/** The sentence that a person reads; any other fault has its own. */
export function sentenceOfFault(error: Error): string {
  if (error instanceof DOMException) return OF_BROWSER[error.name] ?? error.message
  if (error instanceof ApiFault) return OF_REASON[error.reason] ?? error.message
  return error.message
}
