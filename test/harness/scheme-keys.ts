import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { bytesToHex, hashMessage, hexToBytes } from "viem"

/** Each scheme of X-Stamp with the curve that its keys are registered for. */
export const CURVE_OF_SCHEME = {
  SIGNATURE_SCHEME_TK_API_P256: "API_KEY_CURVE_P256",
  SIGNATURE_SCHEME_TK_API_SECP256K1: "API_KEY_CURVE_SECP256K1",
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: "API_KEY_CURVE_SECP256K1",
  SIGNATURE_SCHEME_TK_API_ED25519: "API_KEY_CURVE_ED25519",
} as const

export type Scheme = keyof typeof CURVE_OF_SCHEME
type KeyCurve = (typeof CURVE_OF_SCHEME)[Scheme]

const PREFIX = "SIGNATURE_SCHEME_TK_API_"
type Ending = Scheme extends `${typeof PREFIX}${infer End}` ? End : never

export const SCHEMES = Object.keys(CURVE_OF_SCHEME) as Scheme[]

/** An API key of any curve, made anew each time. */
export type CurveKey = {
  curveType: KeyCurve
  publicKeyHex: string
  privateKey: KeyObject
  secret: Uint8Array
}

export function newCurveKey(curveType: KeyCurve): CurveKey {
  const privateKey = newPrivateKey(curveType)
  const { d = "", x = "", y = "" } = privateKey.export({ format: "jwk" })
  const [secret, abscissa, ordinate] = [d, x, y].map((part) => Buffer.from(part, "base64url"))
  // SEC 1 §2.3.3, compressed; an Ed25519 key has no ordinate of its own.
  const prefix = y === "" ? "" : ordinate!.at(-1)! % 2 === 0 ? "02" : "03"
  return { curveType, publicKeyHex: prefix + abscissa!.toString("hex"), privateKey, secret: secret! }
}

function newPrivateKey(curveType: KeyCurve): KeyObject {
  switch (curveType) {
    case "API_KEY_CURVE_P256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    case "API_KEY_CURVE_SECP256K1":
      return generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey
    case "API_KEY_CURVE_ED25519":
      return generateKeyPairSync("ed25519").privateKey
    default:
      return curveType satisfies never
  }
}

/** The key as create_api_keys and create_users take it. */
export function curveKeyParams({ curveType, publicKeyHex }: CurveKey, apiKeyName: string) {
  return { apiKeyName, publicKey: publicKeyHex, curveType }
}

/** Signature under a scheme of the key's curve: DER, or R || S for Ed25519. */
export function signatureOf({ privateKey, secret }: CurveKey, scheme: Scheme, body: string): Uint8Array {
  const bytes = Buffer.from(body)
  switch (scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
      return sign("sha256", bytes, privateKey)
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191": {
      const digest = hexToBytes(hashMessage({ raw: bytesToHex(bytes) }))
      return secp256k1.sign(digest, secret, { prehash: false, format: "der" })
    }
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      return sign(null, bytes, privateKey)
    default:
      return scheme satisfies never
  }
}

/**
 * Value of the X-Stamp header for a body.
 *
 * @param claimed scheme that the stamp names, where it is not the one that the key signed under
 */
export function stampUnder(key: CurveKey, scheme: Scheme, body: string, claimed: Scheme = scheme): string {
  const signature = Buffer.from(signatureOf(key, scheme, body)).toString("hex")
  const stamp = { publicKey: key.publicKeyHex, scheme: claimed, signature }
  return Buffer.from(JSON.stringify(stamp)).toString("base64url")
}

/**
 * Refusal of a stamp that names another scheme than its key signed under, for each pair of schemes: the key
 * or the signature has not the form of the named scheme; the stored key is of another curve; or form and curve
 * fit, as where an Ethereum wallet's signature is called a plain one, and the signature is of other bytes.
 */
export const MISNAMED: readonly {
  signed: Scheme
  claimed: Scheme
  code: "STAMP_MALFORMED" | "STAMP_SCHEME_MISMATCH" | "STAMP_INVALID"
}[] = [
  row("P256", "SECP256K1", "STAMP_SCHEME_MISMATCH"),
  row("P256", "SECP256K1_EIP191", "STAMP_SCHEME_MISMATCH"),
  row("P256", "ED25519", "STAMP_MALFORMED"),
  row("SECP256K1", "P256", "STAMP_SCHEME_MISMATCH"),
  row("SECP256K1", "SECP256K1_EIP191", "STAMP_INVALID"),
  row("SECP256K1", "ED25519", "STAMP_MALFORMED"),
  row("SECP256K1_EIP191", "P256", "STAMP_SCHEME_MISMATCH"),
  row("SECP256K1_EIP191", "SECP256K1", "STAMP_INVALID"),
  row("SECP256K1_EIP191", "ED25519", "STAMP_MALFORMED"),
  row("ED25519", "P256", "STAMP_MALFORMED"),
  row("ED25519", "SECP256K1", "STAMP_MALFORMED"),
  row("ED25519", "SECP256K1_EIP191", "STAMP_MALFORMED"),
]

function row<Code>(signed: Ending, claimed: Ending, code: Code) {
  return { signed: `${PREFIX}${signed}`, claimed: `${PREFIX}${claimed}`, code } as const
}
