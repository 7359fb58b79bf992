import { type KeyObject, verify } from "node:crypto"
import { type KeySet, signDigestless } from "./keyset.ts"

/**
 * ECDSA P-256 over SHA-256(tag || 0x00 || bytes), r || s. Each kind of statement has a tag of its own, so that
 * none of one kind can be read as one of another.
 */
export function signTagged(keySet: KeySet, tag: string, bytes: Uint8Array): Uint8Array {
  return signDigestless(keySet, tagged(tag, bytes))
}

export function isSignedTagged(
  publicKey: KeyObject,
  tag: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify("sha256", tagged(tag, bytes), { key: publicKey, dsaEncoding: "ieee-p1363" }, signature)
}

function tagged(tag: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(tag), Buffer.from([0]), bytes])
}
