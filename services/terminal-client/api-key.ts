import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"

/** A P-256 key that stamps requests. The private half stays in its KeyObject, which prints no secret. */
export type ApiKey = {
  /** Compressed point, 66 hexadecimal digits. */
  publicKey: string
  privateKey: KeyObject
}

export function generateApiKey(): ApiKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return { privateKey, publicKey: compressedHex(privateKey) }
}

/** ECPrivateKey of RFC 5915 around 32 bytes: version 1, the scalar, the curve prime256v1. */
const SEC1_HEAD = Buffer.from("30310201010420", "hex")
const SEC1_TAIL = Buffer.from("a00a06082a8648ce3d030107", "hex")

/** Undefined: `text` is no private key. Published tools may append the curve, `:p256`. */
export function readApiKey(text: string): ApiKey | undefined {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})(?::p256)?$/i.exec(text.trim()) ?? []
  if (!digits) return undefined
  const scalar = Buffer.from(digits, "hex")
  const der = Buffer.concat([SEC1_HEAD, scalar, SEC1_TAIL])
  try {
    const privateKey = createPrivateKey({ key: der, format: "der", type: "sec1" })
    return { privateKey, publicKey: compressedHex(privateKey) }
  } catch {
    return undefined
  } finally {
    scalar.fill(0)
    der.fill(0)
  }
}

/** The scalar as 64 hexadecimal digits: for the key's own file, or to be shown once. */
export function dangerouslyRevealPrivateKey({ privateKey }: ApiKey): string {
  const { d } = privateKey.export({ format: "jwk" })
  return Buffer.from(d ?? "", "base64url").toString("hex")
}

/** Value of X-Stamp for exactly these bytes. */
export function stamp({ publicKey, privateKey }: ApiKey, body: string): string {
  const signature = sign("sha256", Buffer.from(body), privateKey).toString("hex")
  const content = { publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
  return Buffer.from(JSON.stringify(content)).toString("base64url")
}

function compressedHex(privateKey: KeyObject): string {
  const { x, y } = createPublicKey(privateKey).export({ format: "jwk" })
  const [left, right] = [Buffer.from(x ?? "", "base64url"), Buffer.from(y ?? "", "base64url")]
  const isOdd = ((right.at(-1) ?? 0) & 1) === 1
  return `${isOdd ? "03" : "02"}${left.toString("hex")}`
}
