import { createPublicKey, type KeyObject } from "node:crypto"
import type { KeyFamily } from "./algorithms.ts"

/** A key of an issuer as it travels from the fetcher to the signer. */
export type IssuerKey = {
  /** "kid" of its JWK; empty when it has none. */
  keyId: string
  /** "alg" of its JWK: the only algorithm it may be used with; empty: any that fits the key. */
  algorithm: string
  /** SubjectPublicKeyInfo (RFC 5280 section 4.1), DER. */
  spki: Uint8Array
}

/** A key that signatures are checked with. */
export type VerificationKey = { keyId: string; algorithm: string; family: KeyFamily; key: KeyObject }

/** Of RSA moduli, bits: less is too weak (RFC 7518 section 3.3), more keeps the signer busy. */
const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192
/** What all issuers use; one of thousands of bits would keep the signer busy with each verification. */
const RSA_EXPONENT = 65_537n

/** Opens a key, or says by undefined that it is of no kind that is used here, or too weak. */
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

/** Which algorithms a key is good for; undefined: for none. */
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
