import { constants, createPublicKey, type KeyObject, verify } from "node:crypto"

/** A key of an issuer as it travels from the fetcher to the signer. */
export type IssuerKey = {
  /** "kid" of the JWK; empty: it has none. */
  keyId: string
  /** "alg" of the JWK: the only algorithm the key may be used with; empty: any that fits the key. */
  algorithm: string
  /** SubjectPublicKeyInfo (RFC 5280 section 4.1), DER. */
  spki: Uint8Array
}

/** A key that verifies signatures. */
export type VerificationKey = { keyId: string; algorithm: string; family: KeyFamily; key: KeyObject }

/** Bits of RSA moduli: fewer are too weak (RFC 7518 section 3.3), more make verification slow. */
const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192
/** The exponent of all issuers; one of thousands of bits would make each verification slow. */
const RSA_EXPONENT = 65_537n

/** Opens a key; undefined: its kind is not accepted, or it is too weak. */
export function openIssuerKey({ keyId, algorithm, spki }: IssuerKey): VerificationKey | undefined {
  let key: KeyObject
  try {
    key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" })
  } catch {
    return undefined
  }
  const family = familyOf(key)
  return family && { keyId, algorithm, family, key }
}

/** The family of a key; undefined: no algorithm accepts it. */
export function familyOf(key: KeyObject): KeyFamily | undefined {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case "rsa":
      return modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS && publicExponent === RSA_EXPONENT
        ? "rsa"
        : undefined
    case "ec":
      if (namedCurve === "prime256v1") return "p256"
      if (namedCurve === "secp384r1") return "p384"
      return namedCurve === "secp521r1" ? "p521" : undefined
    case "ed25519":
      return "ed25519"
    default:
      return undefined
  }
}

/** Families of keys; each algorithm belongs to one. */
export type KeyFamily = "rsa" | "p256" | "p384" | "p521" | "ed25519"

/** A JWS algorithm (RFC 7518 section 3, RFC 8037). */
export type Algorithm = {
  family: KeyFamily
  /** The signature's length, bytes. Absent for RSA: OpenSSL requires the length of the modulus. */
  signatureLength?: number
  verify(input: Uint8Array, key: KeyObject, signature: Uint8Array): boolean
}

/**
 * All algorithms that tokens may be signed with. Symmetric ones and "none" are missing. Any other name is refused, so a public
 * key can never be used as a shared secret (RFC 8725 section 3.1).
 */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ["RS256", rsa("sha256")],
  ["RS384", rsa("sha384")],
  ["RS512", rsa("sha512")],
  ["PS256", rsaPss("sha256")],
  ["PS384", rsaPss("sha384")],
  ["PS512", rsaPss("sha512")],
  ["ES256", ecdsa("p256", "sha256", 64)],
  ["ES384", ecdsa("p384", "sha384", 96)],
  ["ES512", ecdsa("p521", "sha512", 132)],
  ["EdDSA", eddsa()],
])

function rsa(hash: string): Algorithm {
  const padding = constants.RSA_PKCS1_PADDING
  return {
    family: "rsa",
    verify: (input, key, signature) => verify(hash, input, { key, padding }, signature),
  }
}

/** The salt is as long as the digest (RFC 7518 section 3.5). */
function rsaPss(hash: string): Algorithm {
  const options = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return {
    family: "rsa",
    verify: (input, key, signature) => verify(hash, input, { key, ...options }, signature),
  }
}

/** r || s, each as long as the curve's order (RFC 7518 section 3.4). */
function ecdsa(family: KeyFamily, hash: string, signatureLength: number): Algorithm {
  const dsaEncoding = "ieee-p1363"
  return {
    family,
    signatureLength,
    verify: (input, key, signature) => verify(hash, input, { key, dsaEncoding }, signature),
  }
}

function eddsa(): Algorithm {
  return {
    family: "ed25519",
    signatureLength: 64,
    verify: (input, key, signature) => verify(null, input, key, signature),
  }
}
