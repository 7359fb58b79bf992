import { createHmac, diffieHellman, type KeyObject } from "node:crypto"
import { openAesGcm, sealAesGcm } from "./aes-gcm.ts"
import { p256Point, p256PublicKey } from "./p256.ts"
import { type Secret, wipe } from "./secret.ts"

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

// RFC 9180: mode base(0), KEM DHKEM(P-256, HKDF-SHA256), KDF HKDF-SHA256, AEAD AES-256-GCM.
const MODE = Buffer.from([0])
const KEM_SUITE = Buffer.from("KEM\x00\x10", "latin1")
const HPKE_SUITE = Buffer.from("HPKE\x00\x10\x00\x01\x00\x02", "latin1")
const VERSION = Buffer.from("HPKE-v1")
const NOTHING = Buffer.alloc(0)

const SHARED_SECRET_LENGTH = 32
const KEY_LENGTH = 32
const NONCE_LENGTH = 12

/** The points of both ends, 65 bytes each. */
type Points = { readonly enc: Uint8Array; readonly recipient: Uint8Array }

/**
 * Derives the key of the first message from the Diffie-Hellman value: RFC 9180 §4.1 (ExtractAndExpand) and §5.1
 * (KeySchedule, without pre-shared key). Wipes `dh` and all intermediate values; the caller wipes the key.
 */
export function scheduleKey(dh: Uint8Array, points: Points, info: Uint8Array) {
  const eaePrk = labeledExtract(KEM_SUITE, NOTHING, "eae_prk", dh)
  const kemContext = Buffer.concat([points.enc, points.recipient])
  const shared = labeledExpand(KEM_SUITE, eaePrk, "shared_secret", kemContext, SHARED_SECRET_LENGTH)
  const secret = labeledExtract(HPKE_SUITE, shared, "secret", NOTHING)
  const context = Buffer.concat([
    MODE,
    labeledExtract(HPKE_SUITE, NOTHING, "psk_id_hash", NOTHING),
    labeledExtract(HPKE_SUITE, NOTHING, "info_hash", info),
  ])
  try {
    return {
      key: labeledExpand(HPKE_SUITE, secret, "key", context, KEY_LENGTH),
      nonce: labeledExpand(HPKE_SUITE, secret, "base_nonce", context, NONCE_LENGTH),
    }
  } finally {
    wipe(dh, eaePrk, shared, secret)
  }
}

/** §4: HKDF-Extract over "HPKE-v1" || suite || label || ikm. */
function labeledExtract(suite: Uint8Array, salt: Uint8Array, label: string, ikm: Uint8Array): Buffer {
  return createHmac("sha256", salt).update(VERSION).update(suite).update(label).update(ikm).digest()
}

/** §4: HKDF-Expand over length(2) || "HPKE-v1" || suite || label || info. At most 32 bytes, which is one block. */
function labeledExpand(suite: Uint8Array, key: Uint8Array, label: string, info: Uint8Array, length: number) {
  const block = createHmac("sha256", key)
    .update(Buffer.from([0, length]))
    .update(VERSION)
    .update(suite)
    .update(label)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
  try {
    return Uint8Array.from(block.subarray(0, length))
  } finally {
    wipe(block)
  }
}
