import { type PublicKeySet, readPublicKeySet } from "../crypto/keyset.ts"
import { uncompressP256 } from "../crypto/p256.ts"

/** Public keys of a fetcher, by which a signer is paired with it. */
export type FetcherKeys = PublicKeySet & {
  /** Public form of its key set, 260 digits. */
  fetcherPublicKey: string
  /** Its on-ramp key, compressed, 66 digits; "" for a fetcher of an earlier release. */
  onRampPublicKey: string
}

const KEY_SET_DIGITS = 260

/**
 * Reads `key set(260) || on-ramp key(66)` in lower-case hexadecimal, as `countersign-fetcher public-key` prints it; the
 * on-ramp key may be absent. Undefined: the text is neither.
 */
export function readFetcherKeys(text: string): FetcherKeys | undefined {
  const fetcherPublicKey = text.slice(0, KEY_SET_DIGITS)
  const onRampPublicKey = text.slice(KEY_SET_DIGITS)
  const keySet = readPublicKeySet(fetcherPublicKey)
  if (keySet === undefined || !(onRampPublicKey === "" || isCompressedPoint(onRampPublicKey)))
    return undefined
  return { ...keySet, fetcherPublicKey, onRampPublicKey }
}

function isCompressedPoint(digits: string): boolean {
  return /^[0-9a-f]{66}$/.test(digits) && uncompressP256(Buffer.from(digits, "hex")) !== undefined
}
