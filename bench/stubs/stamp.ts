import { createPublicKey, type KeyObject, verify } from "node:crypto"

/** SubjectPublicKeyInfo of a compressed P-256 point, up to the point (RFC 5480 §2). */
const SPKI_PREFIX = Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex")

const parsedKeys = new Map<string, KeyObject>()

/** The least that can be done about a stamp: P-256 alone, no strictness. Floors are measured with it. */
export function isStamped(header: string, body: Buffer, keys: "cached" | "parsed"): boolean {
  const { publicKey, signature } = JSON.parse(Buffer.from(header, "base64url").toString()) as {
    publicKey: string
    signature: string
  }
  const key = keys === "cached" ? cachedKey(publicKey) : parseKey(publicKey)
  return verify("sha256", body, key, Buffer.from(signature, "hex"))
}

function cachedKey(hex: string): KeyObject {
  const known = parsedKeys.get(hex)
  if (known) return known
  const key = parseKey(hex)
  parsedKeys.set(hex, key)
  return key
}

function parseKey(hex: string): KeyObject {
  const der = Buffer.concat([SPKI_PREFIX, Buffer.from(hex, "hex")])
  return createPublicKey({ key: der, format: "der", type: "spki" })
}
