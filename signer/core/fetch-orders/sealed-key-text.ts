import { generateKeyPairSync, hash, type KeyObject } from "node:crypto"
import { createBase58check } from "@scure/base"
import { clientContext } from "../crypto/client-hpke.ts"
import { sealHpke } from "../crypto/hpke.ts"
import { compressP256, p256Point, uncompressP256 } from "../crypto/p256.ts"
import type { Secret } from "../crypto/secret.ts"

const base58check = createBase58check((bytes: Uint8Array) => hash("sha256", bytes, "buffer"))

const POINT_LENGTH = 33
const TAG_LENGTH = 16

/**
 * Decodes a sealed key as published clients write it: Base58Check of `compressed point(33) || ciphertext || tag(16)`.
 * Undefined: the text is none.
 */
export function decodeSealedKey(text: string): Uint8Array | undefined {
  try {
    const bytes = base58check.decode(text)
    const hasPoint = uncompressP256(bytes.subarray(0, POINT_LENGTH)) !== undefined
    return hasPoint && bytes.length > POINT_LENGTH + TAG_LENGTH ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Seals a text to the on-ramp key, in the form of published clients. */
export function sealKey(recipient: KeyObject, text: Secret): string {
  const { privateKey: ephemeral } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const enc = p256Point(ephemeral)
  const sealed = sealHpke({ ephemeral, recipient }, clientContext(enc, recipient), text)
  return base58check.encode(Buffer.concat([compressP256(enc), sealed]))
}
