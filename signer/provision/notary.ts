import { createPublicKey, verify } from "node:crypto"
import { type KeySet, signDigestless } from "../keys/keyset.ts"
import type { Notary } from "../organization/notarize.ts"

/** Signs with the notarizer's signing key, each kind of statement under its own tag. */
export function makeNotary(keySet: KeySet): Notary {
  const publicKey = { key: createPublicKey(keySet.sign), dsaEncoding: "ieee-p1363" } as const
  return {
    sign: (tag, bytes) => signDigestless(keySet, tagged(tag, bytes)),
    verify: (tag, bytes, signature) => verify("sha256", tagged(tag, bytes), publicKey, signature),
  }
}

/** tag || 0x00 || bytes: no statement of one kind can be read as one of another. */
function tagged(tag: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(tag), Buffer.from([0]), bytes])
}
