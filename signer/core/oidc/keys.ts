import { createPublicKey, type KeyObject } from "node:crypto"
import type { KeyFamily } from "./algorithms.ts"

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
      return namedCurve === "secp384r1" ? "p384" : undefined
    case "ed25519":
      return "ed25519"
    default:
      return undefined
  }
}
