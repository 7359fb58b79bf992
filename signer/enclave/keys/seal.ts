import { xchacha20poly1305 } from "@noble/ciphers/chacha.js"
import { refuse } from "../../core/refusal.ts"
import { lengthPrefixed } from "../../core/crypto/length-prefixed.ts"
import { type RandomBytes, Secret } from "../../core/crypto/secret.ts"

/**
 * The record that a sealed secret belongs to. All members are authenticated: a blob moved to another organization,
 * record or version, or kept from before a key rotation, does not open.
 *
 * `version`: the record's, 0 to 2^64-1. `epoch`: the sealing key's, 0 to 2^32-1.
 */
export type SealBinding = { kind: string; organizationId: string; id: string; version: bigint; epoch: number }

const FORMAT = 1
const DOMAIN = "countersign/v1/seal"
const KEY_LENGTH = 32
const NONCE_LENGTH = 24
const TAG_LENGTH = 16
const HEADER_LENGTH = 1 + 4

/**
 * Seals with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha §2). Random 24-byte nonces never repeat in practice.
 *
 *     blob = format(1) = 1 || epoch(4, BE) || nonce(24) || ciphertext || tag(16)
 * @throws {RangeError} for a key, version, epoch or nonce of the wrong size
 */
export function seal(key: Secret, binding: SealBinding, plaintext: Secret, random: RandomBytes): Uint8Array {
  const nonce = random(NONCE_LENGTH)
  if (nonce.length !== NONCE_LENGTH) throw new RangeError("a nonce has 24 bytes")
  const associated = associatedData(binding)
  const body = key.use((k) =>
    plaintext.use((p) => xchacha20poly1305(requireKey(k), nonce, associated).encrypt(p)),
  )
  const blob = new Uint8Array(HEADER_LENGTH + NONCE_LENGTH + body.length)
  blob[0] = FORMAT
  new DataView(blob.buffer).setUint32(1, binding.epoch)
  blob.set(nonce, HEADER_LENGTH)
  blob.set(body, HEADER_LENGTH + NONCE_LENGTH)
  return blob
}

/** Opens a blob of `seal`. All faults have the same refusal, so attempts reveal nothing. @throws SEAL_BROKEN */
export function unseal(key: Secret, binding: SealBinding, blob: Uint8Array): Secret {
  try {
    if (sealEpoch(blob) !== binding.epoch) throw new Error("epoch")
    const nonce = blob.subarray(HEADER_LENGTH, HEADER_LENGTH + NONCE_LENGTH)
    const body = blob.subarray(HEADER_LENGTH + NONCE_LENGTH)
    const associated = associatedData(binding)
    return Secret.moveFrom(key.use((k) => xchacha20poly1305(requireKey(k), nonce, associated).decrypt(body)))
  } catch (cause) {
    throw broken(cause)
  }
}

/** The epoch named in a blob, unauthenticated until the blob is opened. @throws SEAL_BROKEN */
export function sealEpoch(blob: Uint8Array): number {
  if (blob[0] !== FORMAT || blob.length < HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH) throw broken()
  return new DataView(blob.buffer, blob.byteOffset).getUint32(1)
}

/**
 *     "countersign/v1/seal" || kind || organizationId || id || format(1) version(8, BE) epoch(4, BE)
 *
 * each of the five written as length(4, BE) || bytes, texts as UTF-8.
 */
function associatedData({ kind, organizationId, id, version, epoch }: SealBinding): Uint8Array {
  if (version < 0n || version > 0xffff_ffff_ffff_ffffn) throw new RangeError("a version is a uint64")
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > 0xffff_ffff)
    throw new RangeError("an epoch is a uint32")
  const numbers = new Uint8Array(1 + 8 + 4)
  const view = new DataView(numbers.buffer)
  numbers[0] = FORMAT
  view.setBigUint64(1, version)
  view.setUint32(9, epoch)
  const texts = [DOMAIN, kind, organizationId, id].map((text) => Buffer.from(text, "utf8"))
  return lengthPrefixed(...texts, numbers)
}

function requireKey(key: Uint8Array): Uint8Array {
  if (key.length !== KEY_LENGTH) throw new RangeError("a sealing key has 32 bytes")
  return key
}

const broken = (cause?: unknown) => refuse("SEAL_BROKEN", "a sealed secret does not open", { cause })
