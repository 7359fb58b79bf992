import type { KeyObject } from "node:crypto"
import { RecentlyUsed } from "../recently-used.ts"
import { readCoseKey } from "./cose-key.ts"

/** Keys kept parsed; parsing costs as much as verifying. A KeyObject takes about 1 KiB. */
const MAX_CACHED_KEYS = 4096

const cache = new RecentlyUsed<string, KeyObject>(MAX_CACHED_KEYS)

/**
 * The parsed key of a COSE_Key, from a bounded cache.
 *
 * @throws WebauthnFault key, malformed
 */
export function findCredentialKey(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString("latin1")
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const { key } = readCoseKey(publicKey)
  cache.set(name, key)
  return key
}
