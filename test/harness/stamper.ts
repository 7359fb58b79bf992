import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"

/** A P-256 API key of a test user, made anew each time. */
export type TestKey = { publicKeyHex: string; privateKey: KeyObject }

export function newKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const spki = publicKey.export({ type: "spki", format: "der" })
  const point = spki.subarray(spki.length - 65)
  const prefix = (point[64]! & 1) === 1 ? "03" : "02"
  return { publicKeyHex: prefix + point.subarray(1, 33).toString("hex"), privateKey }
}

/** Value of the X-Stamp header for a body. */
export function stampWith(key: TestKey, body: Uint8Array | string): string {
  const signature = sign("sha256", Buffer.from(body as string), key.privateKey).toString("hex")
  const stamp = { publicKey: key.publicKeyHex, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
  return Buffer.from(JSON.stringify(stamp)).toString("base64url")
}

export function fingerprintOf(body: Uint8Array | string): string {
  return createHash("sha256").update(body).digest("hex")
}
