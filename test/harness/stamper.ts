import { createHash, generateKeyPairSync, sign } from "node:crypto"
import type { TestKey } from "./test-key.ts"
import { AttestedKey } from "./attested.ts"
import { nameOf, Passkey } from "./authenticator.ts"

export type { TestKey }

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

/** A key, a passkey, or a key that a token attests. */
export type Stamper = TestKey | Passkey | AttestedKey

/** The one stamp header of a request, as the boundary takes it. */
export type StampHeader = { xStamp?: string; xStampWebauthn?: string; xStampAttested?: string }

/** The stamp that this stamper makes for a body. */
export function stampBy(stamper: Stamper, body: Uint8Array | string): StampHeader {
  if (stamper instanceof AttestedKey) return { xStampAttested: stamper.stamp(body) }
  return stamper instanceof Passkey
    ? { xStampWebauthn: stamper.stamp(body) }
    : { xStamp: stampWith(stamper, body) }
}

/** Name of the credential that stamps. */
export function credentialOf(stamper: Stamper): string {
  if (stamper instanceof AttestedKey) return stamper.credential
  return stamper instanceof Passkey ? nameOf(stamper) : stamper.publicKeyHex
}

export function fingerprintOf(body: Uint8Array | string): string {
  return createHash("sha256").update(body).digest("hex")
}
