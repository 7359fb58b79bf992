import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import { lengthPrefixed } from "../../core/crypto/length-prefixed.ts"
import type { Secret } from "../../core/crypto/secret.ts"

/** 32 bytes; as a KeyObject they are outside the JavaScript heap. */
export type MacKey = KeyObject | Uint8Array

/** The key of a branch, for many records. The caller may wipe the secret afterwards. */
export function openMacKey(secret: Secret): KeyObject {
  return secret.use((bytes) => createSecretKey(bytes))
}

/**
 * HMAC-SHA256 (RFC 2104) over the domain, as UTF-8, and the parts, each written as length(4, BE) || bytes, so
 * that no two lists of parts give the same input. 32 bytes.
 */
export function macRecord(key: MacKey, domain: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const input = lengthPrefixed(Buffer.from(domain, "utf8"), ...parts)
  return Uint8Array.from(createHmac("sha256", key).update(input).digest())
}

/** Is it the code of these parts? Takes the same time wherever the two differ. */
export function isRecordMac(
  mac: Uint8Array,
  key: MacKey,
  domain: string,
  ...parts: readonly Uint8Array[]
): boolean {
  const expected = macRecord(key, domain, ...parts)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
