import { constants, type KeyObject, verify } from "node:crypto"

/** What a key can be used with: the families of key that algorithms are made for. */
export type KeyFamily = "rsa" | "p256" | "p384" | "ed25519"

/** How a JWS algorithm (RFC 7518 section 3, RFC 8037) is checked. */
export type Algorithm = {
  family: KeyFamily
  /** Of the signature, bytes; RSA's is that of its modulus, which OpenSSL insists on. */
  signatureLength?: number
  verify(input: Uint8Array, key: KeyObject, signature: Uint8Array): boolean
}

/**
 * All algorithms that tokens may be signed with. No symmetric one and no "none": what is not here is refused by
 * name, so that a public key can never be taken for a shared secret (RFC 8725 section 3.1).
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
