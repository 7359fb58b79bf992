import { canonicalAddress } from "../../../core/address/canonical.ts"
import { readUuid } from "../../../core/uuid.ts"

/** Id of a private key in lower case; undefined when the text is no id, and so an address. */
export function readKeyId(signWith: string): string | undefined {
  return readUuid(signWith)
}

/** One spelling for each key, so that the cache holds it once and can remove it by name. */
export function canonicalSignWith(signWith: string): string {
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
