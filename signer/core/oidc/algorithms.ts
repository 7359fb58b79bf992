import { constants, type KeyObject, verify } from "node:crypto"

/** Families of keys; each algorithm belongs to one. */
export type KeyFamily = "rsa" | "p256" | "p384" | "ed25519"

/** A JWS algorithm (RFC 7518 section 3, RFC 8037). */
export type Algorithm = {
  family: KeyFamily
  /** The signature's length, bytes. Absent for RSA: OpenSSL requires the length of the modulus. */
  signatureLength?: number
  verify(input: Uint8Array, key: KeyObject, signature: Uint8Array): boolean
}

/**
 * All algorithms that tokens may be signed with. Symmetric ones and "none" are missing: any other name is refused, so a
 * public key can never be used as a shared secret (RFC 8725 section 3.1).
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
