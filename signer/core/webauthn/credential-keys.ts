import type { KeyObject } from "node:crypto"
import { readCoseKey } from "./cose-key.ts"

/** Keys kept parsed; parsing costs as much as verifying. A KeyObject takes about 1 KiB. */
const MAX_CACHED_KEYS = 4096

const cache = new Map<string, KeyObject>()

/**
 * The parsed key of a COSE_Key, from a bounded cache (least recently used goes first).
 *
 * @throws WebauthnFault key, malformed
 */
export function findCredentialKey(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString("latin1")
  const known = cache.get(name)
  const key = known ?? readCoseKey(publicKey).key
  if (known !== undefined) cache.delete(name)
  else if (cache.size >= MAX_CACHED_KEYS) cache.delete(cache.keys().next().value ?? "")
  cache.set(name, key)
  return key
}
