import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import { lengthPrefixed } from "../../core/crypto/length-prefixed.ts"
import type { Secret } from "../../core/crypto/secret.ts"

/** A key of 32 bytes; as a KeyObject it is outside the JavaScript heap. */
export type MacKey = KeyObject | Uint8Array

/** Copies the key of a branch into a KeyObject. The caller may wipe the secret. */
export function openMacKey(secret: Secret): KeyObject {
  return secret.use((bytes) => createSecretKey(bytes))
}

/** HMAC-SHA256 (RFC 2104) over domain (UTF-8) and parts, each length(4, BE) || bytes, so the input is unambiguous. 32 bytes. */
export function macRecord(key: MacKey, domain: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const input = lengthPrefixed(Buffer.from(domain, "utf8"), ...parts)
  return Uint8Array.from(createHmac("sha256", key).update(input).digest())
}

/** True if `mac` is the MAC of these parts; takes constant time. */
export function isRecordMac(mac: Uint8Array, key: MacKey, domain: string, ...parts: readonly Uint8Array[]) {
  const expected = macRecord(key, domain, ...parts)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
