import { canonicalAddress, isSparkAddress, isTaprootAddress } from "../../keys/address/index.ts"
import type { SigningScheme } from "../../keys/signing-key.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The id of a private key in lower case; undefined where the text is no id, and so an address. */
export function readKeyId(signWith: string): string | undefined {
  return UUID.test(signWith) ? signWith.toLowerCase() : undefined
}

/** One spelling of what signs, so that its key lies in memory once and is found there when it has to go. */
function canonicalSignWith(signWith: string): string {
  return readKeyId(signWith) ?? canonicalAddress(signWith)
}

/** Name of a key in the cache of derived keys. */
export function cacheName(organizationId: string, signWith: string): string {
  return nameAsGiven(organizationId, canonicalSignWith(signWith))
}

/** The same for a spelling that may be canonical. If it is not, no key has this name: a canonical one is its own. */
export function nameAsGiven(organizationId: string, signWith: string): string {
  return `${organizationId} ${signWith}`
}

/** The address names the scheme: one key signs in another way for its Taproot output, or on Spark, than by its id. */
export function signingScheme(signWith: string): SigningScheme {
  const name = canonicalSignWith(signWith)
  if (isTaprootAddress(name)) return "taproot"
  return isSparkAddress(name) ? "schnorr" : "default"
}
