import { createHash, type KeyObject } from "node:crypto"
import { createBase58check } from "@scure/base"
import { compressP256 } from "../../core/crypto/p256.ts"
import type { RandomBytes, Secret } from "../../core/crypto/secret.ts"
import { sealMessage } from "./message.ts"

const base58check = createBase58check((bytes: Uint8Array) => createHash("sha256").update(bytes).digest())

/**
 * Seals a session's private key, 32 bytes, to a client, as published clients open it: Base58Check of
 * `encapsulated key(33, compressed) || ciphertext(32) || tag(16)`, without a version. It is not signed: a false one holds a
 * key that stamps nothing.
 */
export function sealCredential(recipient: KeyObject, privateKey: Secret, random: RandomBytes): string {
  const { encappedPublic, ciphertext } = sealMessage(recipient, privateKey, random)
  return base58check.encode(Buffer.concat([compressP256(encappedPublic), ciphertext]))
}
