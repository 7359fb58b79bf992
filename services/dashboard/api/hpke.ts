// HPKE of bundles (RFC 9180, mode base: DHKEM P-256, HKDF-SHA256, AES-256-GCM) over WebCrypto, docs/formats/bundle.md.
import { expand, extract } from "@noble/hashes/hkdf.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesOf } from "./encoding.ts"

const CURVE = { name: "ECDH", namedCurve: "P-256" } as const
const VERSION = bytesOf("HPKE-v1")
const KEM = Uint8Array.from([...bytesOf("KEM"), 0x00, 0x10])
const SUITE = Uint8Array.from([...bytesOf("HPKE"), 0x00, 0x10, 0x00, 0x01, 0x00, 0x02])
const INFO = bytesOf("turnkey_hpke")
const NOTHING = new Uint8Array()
const KEY_BYTES = 32
const NONCE_BYTES = 12

/** A key pair that opens one bundle. Its private half stays in WebCrypto. */
export type BundleKey = { privateKey: CryptoKey; point: Uint8Array<ArrayBuffer> }

export async function generateBundleKey(): Promise<BundleKey> {
  const pair = await crypto.subtle.generateKey(CURVE, false, ["deriveBits"])
  return {
    privateKey: pair.privateKey,
    point: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
  }
}

/** @throws {Error} if the bundle was not sealed to this key */
export async function openBundle(
  key: BundleKey,
  enc: Uint8Array<ArrayBuffer>,
  ciphertext: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { aesKey, cipher } = await contextOf(key.privateKey, enc, { enc, recipient: key.point })
  return new Uint8Array(await crypto.subtle.decrypt(cipher, aesKey, ciphertext))
}

/** Seals a text to a point of the signer. */
export async function sealTo(recipient: Uint8Array<ArrayBuffer>, plaintext: Uint8Array<ArrayBuffer>) {
  const own = await generateBundleKey()
  const { aesKey, cipher } = await contextOf(own.privateKey, recipient, { enc: own.point, recipient })
  return {
    enc: own.point,
    ciphertext: new Uint8Array(await crypto.subtle.encrypt(cipher, aesKey, plaintext)),
  }
}

type Points = { enc: Uint8Array; recipient: Uint8Array }

async function contextOf(privateKey: CryptoKey, peer: Uint8Array<ArrayBuffer>, { enc, recipient }: Points) {
  const publicKey = await crypto.subtle.importKey("raw", peer, CURVE, false, [])
  const dh = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, privateKey, 256),
  )
  const points = join(enc, recipient)
  const shared = labeledExpand(
    KEM,
    labeledExtract(KEM, NOTHING, "eae_prk", dh),
    "shared_secret",
    points,
    KEY_BYTES,
  )
  const schedule = join(
    Uint8Array.of(0),
    labeledExtract(SUITE, NOTHING, "psk_id_hash", NOTHING),
    labeledExtract(SUITE, NOTHING, "info_hash", INFO),
  )
  const secret = labeledExtract(SUITE, shared, "secret", NOTHING)
  const raw = labeledExpand(SUITE, secret, "key", schedule, KEY_BYTES)
  const iv = labeledExpand(SUITE, secret, "base_nonce", schedule, NONCE_BYTES)
  const aesKey = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"])
  return { aesKey, cipher: { name: "AES-GCM", iv, additionalData: points } }
}

function labeledExtract(
  suite: Uint8Array,
  salt: Uint8Array,
  label: string,
  ikm: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return extract(sha256, join(VERSION, suite, bytesOf(label), ikm), salt)
}

function labeledExpand(suite: Uint8Array, prk: Uint8Array, label: string, info: Uint8Array, length: number) {
  const labeled = join(Uint8Array.of(length >> 8, length & 0xff), VERSION, suite, bytesOf(label), info)
  return expand(sha256, prk, labeled, length)
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
