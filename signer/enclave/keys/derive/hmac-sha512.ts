import { hash } from "node:crypto"
import { elementAt } from "../../../core/crypto/element.ts"
import { ownBytes, wipe } from "../../../core/crypto/secret.ts"

const BLOCK = 128

/**
 * HMAC-SHA512 (RFC 2104 §2) over Node's one-shot hash. `createHmac` takes three times as long, most of a derivation,
 * and leaves a KeyObject with the key to the garbage collector.
 *
 *     hash(key xor 5c.. || hash(key xor 36.. || data))
 *
 * `key`: at most 128 bytes. Returns 64 bytes, which the caller wipes.
 */
export function hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array {
  if (key.length > BLOCK) throw new RangeError("the key is longer than a block")
  const inner = padded(key, 0x36, data.length)
  inner.set(data, BLOCK)
  const innerHash = hash("sha512", inner, "buffer")
  const outer = padded(key, 0x5c, innerHash.length)
  outer.set(innerHash, BLOCK)
  try {
    return hash("sha512", outer, "buffer")
  } finally {
    wipe(inner, innerHash, outer)
  }
}

/** The key zero-padded to one block, each byte xor `pad`, followed by `dataLength` zero bytes. */
function padded(key: Uint8Array, pad: number, dataLength: number): Uint8Array {
  const bytes = ownBytes(BLOCK + dataLength).fill(pad, 0, BLOCK)
  for (let i = 0; i < key.length; i++) bytes[i] = elementAt(key, i) ^ pad
  return bytes
}
