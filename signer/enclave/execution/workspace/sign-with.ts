import { canonicalAddress, isSparkAddress, isTaprootAddress } from "../../keys/address/index.ts"
import type { SigningScheme } from "../../keys/signing-key.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Id of a private key in lower case; undefined when the text is no id, and so an address. */
export function readKeyId(signWith: string): string | undefined {
  return UUID.test(signWith) ? signWith.toLowerCase() : undefined
}

/** One spelling for each key, so that the cache holds it once and can remove it by name. */
function canonicalSignWith(signWith: string): string {
  return readKeyId(signWith) ?? canonicalAddress(signWith)
}

/** Name of a key in the cache of derived keys. */
export function cacheName(organizationId: string, signWith: string): string {
  return nameAsGiven(organizationId, canonicalSignWith(signWith))
}

/** Name of a spelling that may be canonical; no key has the name of another spelling. */
export function nameAsGiven(organizationId: string, signWith: string): string {
  return `${organizationId} ${signWith}`
}

/** The scheme that an address selects: the same key signs differently for Taproot, for Spark and by its id. */
export function signingScheme(signWith: string): SigningScheme {
  const name = canonicalSignWith(signWith)
  if (isTaprootAddress(name)) return "taproot"
  return isSparkAddress(name) ? "schnorr" : "default"
}
