import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from "node:crypto"

/** A key pair of an issuer, and its public half as the issuer publishes it. */
export type IssuerKeyPair = { privateKey: KeyObject; jwk: JsonWebKey & { kid?: string } }

export type KeyKind = "rsa" | "p256" | "p384" | "p521" | "ed25519"

export function issuerKey(kind: KeyKind = "p256", kid: string | undefined = kind): IssuerKeyPair {
  const { privateKey, publicKey } = generate(kind)
  return { privateKey, jwk: { ...publicKey.export({ format: "jwk" }), ...(kid !== undefined && { kid }) } }
}

/** The document at an issuer's jwks_uri. */
export function keySetOf(...keys: readonly IssuerKeyPair[]): Uint8Array {
  return Buffer.from(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
}

const DEFAULT_ALGORITHM = {
  rsa: "RS256",
  p256: "ES256",
  p384: "ES384",
  p521: "ES512",
  ed25519: "EdDSA",
} as const

/** Claims of a good token; `nowMs` in Unix milliseconds. */
export function claimsOf(issuer: string, nowMs: number, changes: object = {}): object {
  const now = Math.floor(nowMs / 1000)
  return { iss: issuer, aud: "app", sub: "alice", iat: now, exp: now + 600, ...changes }
}

/** Signs any header and claims, valid or not. */
export function idToken(claims: object, { privateKey, jwk }: IssuerKeyPair, header: object = {}): string {
  const alg = DEFAULT_ALGORITHM[kindOf(privateKey)]
  const members = { alg, typ: "JWT", ...(jwk.kid !== undefined && { kid: jwk.kid }), ...header }
  const input = `${encode(members)}.${encode(claims)}`
  return `${input}.${signature(members.alg, Buffer.from(input), privateKey)}`
}

export function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

/** An HMAC under the bytes of a public key: what a verifier that mixes up kinds of keys would accept. */
export function hmacToken(claims: object, secret: Uint8Array, header: object = {}): string {
  const input = `${encode({ alg: "HS256", typ: "JWT", ...header })}.${encode(claims)}`
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
}

function signature(alg: string, input: Buffer, key: KeyObject): string {
  const hash = alg === "EdDSA" ? null : `sha${alg.slice(-3)}`
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  const options = alg.startsWith("PS") ? pss : { dsaEncoding: "ieee-p1363" as const }
  return sign(hash, input, { key, ...options }).toString("base64url")
}

function generate(kind: KeyKind) {
  switch (kind) {
    case "rsa":
      return generateKeyPairSync("rsa", { modulusLength: 2048 })
    case "p256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" })
    case "p384":
      return generateKeyPairSync("ec", { namedCurve: "P-384" })
    case "p521":
      return generateKeyPairSync("ec", { namedCurve: "P-521" })
    case "ed25519":
      return generateKeyPairSync("ed25519")
    default:
      return kind satisfies never
  }
}

function kindOf(key: KeyObject): KeyKind {
  if (key.asymmetricKeyType === "rsa") return "rsa"
  if (key.asymmetricKeyType === "ed25519") return "ed25519"
  const curves: { [name: string]: KeyKind } = { prime256v1: "p256", secp384r1: "p384", secp521r1: "p521" }
  return curves[key.asymmetricKeyDetails?.namedCurve ?? ""] ?? "p256"
}
