import { diffieHellman, type KeyObject } from "node:crypto"
import { openAesGcm, sealAesGcm } from "../../core/crypto/aes-gcm.ts"
import { p256Point, p256PublicKey } from "../../core/crypto/p256.ts"
import { type Secret, wipe } from "../../core/crypto/secret.ts"
import { scheduleKey } from "./key-schedule.ts"

/** Public context of a message, equal on both ends (RFC 9180 §5.1 and §5.2). */
export type HpkeContext = { readonly info: Uint8Array; readonly aad: Uint8Array }

/**
 * Seals a message to a public key: RFC 9180, single-shot base mode (§6.1), DHKEM(P-256, HKDF-SHA256), HKDF-SHA256,
 * AES-256-GCM. `ephemeral`: a private key for this message only; its point is sent as `enc`.
 * @returns ciphertext || tag(16)
 */
export function sealHpke(
  { ephemeral, recipient }: { ephemeral: KeyObject; recipient: KeyObject },
  { info, aad }: HpkeContext,
  plaintext: Secret,
): Uint8Array {
  const points = { enc: p256Point(ephemeral), recipient: p256Point(recipient) }
  const dh = diffieHellman({ privateKey: ephemeral, publicKey: recipient })
  const { key, nonce } = scheduleKey(dh, points, info)
  try {
    return sealAesGcm({ key, nonce, aad }, plaintext)
  } finally {
    wipe(key)
  }
}

/** Opens a message of `sealHpke`; undefined for every fault. `enc`: 65 bytes. The caller wipes the plaintext. */
export function openHpke(
  { recipient, enc }: { recipient: KeyObject; enc: Uint8Array },
  { info, aad }: HpkeContext,
  ciphertext: Uint8Array,
): Secret | undefined {
  const publicKey = p256PublicKey(enc)
  if (publicKey === undefined) return undefined
  const dh = diffieHellman({ privateKey: recipient, publicKey })
  const { key, nonce } = scheduleKey(dh, { enc, recipient: p256Point(recipient) }, info)
  try {
    return openAesGcm({ key, nonce, aad }, ciphertext)
  } finally {
    wipe(key)
  }
}
