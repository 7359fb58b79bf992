import { type CeremonyKind, Fault } from "../fault.ts"
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { isSoundEd25519Key } from "../crypto/ed25519.ts"
import { RecentlyUsed } from "../recently-used.ts"
import { type CborMap, isCborMap, readCbor } from "./cbor.ts"

/** COSE algorithms of credentials: RFC 9053 §2.1, §2.2, RFC 8812 §2. */
export const ES256 = -7
export const EDDSA = -8
export const RS256 = -257

/** A credential's public key, checked. */
export type CredentialKey = { algorithm: typeof ES256 | typeof EDDSA | typeof RS256; key: KeyObject }

// Labels and values of COSE keys: RFC 9052 §7.1, RFC 9053 §7.1.1, §7.2, RFC 8230 §4.
const KTY = 1
const ALG = 3
const KTY_OKP = 1
const OKP_CRV = -1
const OKP_X = -2
const CRV_ED25519 = 6
const KTY_EC2 = 2
const KTY_RSA = 3
const EC2_CRV = -1
const EC2_X = -2
const EC2_Y = -3
const CRV_P256 = 1
const RSA_N = -1
const RSA_E = -2
/** Label of the private part of an EC2 or OKP key, and of that of an RSA key. */
const PRIVATE = -4
const RSA_PRIVATE = -3

/** RFC 8812 §2 asks for 2048 bits at least; above 4096 verifying takes longer than a request may. */
export const MIN_MODULUS_BITS = 2048
export const MAX_MODULUS_BITS = 4096
/** 65537, the exponent that authenticators use; small ones make signatures easier to forge. */
const EXPONENT = Buffer.from("010001", "hex")

/**
 * Reads a credential public key: a COSE_Key with the members of its type and `alg` (Web Authentication §5.8.5, §6.5.1.1). Labels
 * that no key of its type needs are ignored (RFC 9052 §7.1); a private part is refused. P-256 with SHA-256, Ed25519, and RSA
 * PKCS #1 v1.5 with SHA-256.
 * @throws Fault key: algorithm, members, off the curve, size of the modulus; malformed: not CBOR
 */
export function readCoseKey(bytes: Uint8Array): CredentialKey {
  const members = readMembers(bytes)
  return { algorithm: members.algorithm, key: keyOf(members) }
}

function keyOf(members: Members): KeyObject {
  switch (members.algorithm) {
    case ES256:
      return p256Key(members)
    case EDDSA:
      return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: base64url(members.x) }, format: "jwk" })
    case RS256:
      return rsaKey(members)
    default:
      return members satisfies never
  }
}

/** True if the key's signature over the bytes verifies. */
export function isSignedByCredential(
  publicKey: Uint8Array,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = findCredentialKey(publicKey)
  // Ed25519 hashes the message itself (RFC 8032 §5.1). OpenSSL accepts DER in its one form, and PKCS #1 v1.5 with its one encoding.
  return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", signed, key, signature)
}

/** Keys kept parsed; parsing costs as much as verifying. A KeyObject takes about 1 KiB. */
const MAX_CACHED_KEYS = 4096

const cache = new RecentlyUsed<string, KeyObject>(MAX_CACHED_KEYS)

/** The parsed key of a COSE_Key, from a bounded cache. @throws Fault key, malformed */
function findCredentialKey(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString("latin1")
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const { key } = readCoseKey(publicKey)
  cache.set(name, key)
  return key
}

/**
 * One text for each public key, whatever its encoding: a P-256 key compressed in hexadecimal, an Ed25519 key as `ed25519:`
 * and its 32 bytes in base64url, an RSA key as `rsa:` and its modulus in base64url. The key was checked at its registration: OpenSSL would take fifty times as long to parse it
 * again, and an organization has thousands. @throws Fault key, malformed
 */
export function credentialKeyName(publicKey: Uint8Array): string {
  const members = readMembers(publicKey)
  if (members.algorithm === RS256) return `rsa:${base64url(members.n)}`
  if (members.algorithm === EDDSA) return `ed25519:${base64url(members.x)}`
  const isOdd = ((members.y.at(-1) ?? 0) & 1) === 1
  return (isOdd ? "03" : "02") + Buffer.from(members.x).toString("hex")
}

/**
 * Tests public keys for a name. Only a key whose bytes contain the x coordinate or modulus of the name is read.
 * The test throws as `credentialKeyName` does.
 */
export function hasKeyName(name: string): (publicKey: Uint8Array) => boolean {
  const [, encoded] = name.split(":")
  const number = encoded === undefined ? Buffer.from(name.slice(2), "hex") : Buffer.from(encoded, "base64url")
  return (publicKey) => {
    const { buffer, byteOffset, length } = publicKey
    return Buffer.from(buffer, byteOffset, length).includes(number) && credentialKeyName(publicKey) === name
  }
}

/** True if the keys that a signature fits can be computed from it: that of no other algorithm tells its key. */
export function isRecoverable(keyName: string): boolean {
  return !keyName.includes(":")
}

type P256Members = { algorithm: typeof ES256; x: Uint8Array; y: Uint8Array }
type Ed25519Members = { algorithm: typeof EDDSA; x: Uint8Array }
type RsaMembers = { algorithm: typeof RS256; n: Uint8Array; e: Uint8Array }
type Members = P256Members | Ed25519Members | RsaMembers

/** The members of a COSE_Key, which need not be a point of the curve. @throws Fault key, malformed */
function readMembers(bytes: Uint8Array): Members {
  const map = readCbor(bytes)
  if (!isCborMap(map)) throw unfit("it is no COSE key")
  switch (map.get(ALG)) {
    case ES256:
      return readP256(map)
    case EDDSA:
      return readEd25519(map)
    case RS256:
      return readRsa(map)
    default:
      throw unfit("its algorithm is none of ES256 (-7), EdDSA (-8) and RS256 (-257)")
  }
}

function readP256(map: CborMap): P256Members {
  const [x, y] = [map.get(EC2_X), map.get(EC2_Y)]
  const isComplete =
    map.get(KTY) === KTY_EC2 &&
    map.get(EC2_CRV) === CRV_P256 &&
    is32Bytes(x) &&
    is32Bytes(y) &&
    !map.has(PRIVATE)
  if (!isComplete) throw unfit("it must have the members of an uncompressed P-256 key, and no private part")
  return { algorithm: ES256, x, y }
}

function readEd25519(map: CborMap): Ed25519Members {
  const x = map.get(OKP_X)
  const isComplete =
    map.get(KTY) === KTY_OKP && map.get(OKP_CRV) === CRV_ED25519 && is32Bytes(x) && !map.has(PRIVATE)
  if (!isComplete) throw unfit("it must have the members of an Ed25519 key, and no private part")
  if (!isSoundEd25519Key(x)) throw unfit("it is no point of Ed25519, or one of small order")
  return { algorithm: EDDSA, x }
}

function p256Key({ x, y }: P256Members): KeyObject {
  try {
    // OpenSSL requires both coordinates below the prime and the point on the curve.
    const jwk = { kty: "EC", crv: "P-256", x: base64url(x), y: base64url(y) }
    return createPublicKey({ key: jwk, format: "jwk" })
  } catch (cause) {
    throw unfit("it is no point of P-256", cause)
  }
}

function readRsa(map: CborMap): RsaMembers {
  const [n, e] = [map.get(RSA_N), map.get(RSA_E)]
  const isComplete =
    map.get(KTY) === KTY_RSA && n instanceof Uint8Array && e instanceof Uint8Array && !map.has(RSA_PRIVATE)
  if (!isComplete) throw unfit("it must have the members of an RSA key, and no private part")
  if (EXPONENT.compare(e) !== 0) throw unfit("its public exponent is not 65537")
  const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24
  const isOdd = ((n.at(-1) ?? 0) & 1) === 1
  // A leading zero would be a second encoding of the same key.
  if (n[0] === 0 || !isOdd || bits < MIN_MODULUS_BITS || bits > MAX_MODULUS_BITS)
    throw unfit(`its modulus is no odd number of ${MIN_MODULUS_BITS} to ${MAX_MODULUS_BITS} bits`)
  return { algorithm: RS256, n, e }
}

function rsaKey({ n, e }: RsaMembers): KeyObject {
  return createPublicKey({ key: { kty: "RSA", n: base64url(n), e: base64url(e) }, format: "jwk" })
}

function is32Bytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === 32
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url")
}

function unfit(why: string, cause?: unknown): Fault<CeremonyKind> {
  return new Fault("key", `the credential's public key cannot be used: ${why}`, undefined, cause)
}
