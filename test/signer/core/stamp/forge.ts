import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { Refusal } from "../../../../signer/core/refusal.ts"

/** The value of an X-Stamp header around any members. */
export function headerOf(members: object | string): string {
  const text = typeof members === "string" ? members : JSON.stringify(members)
  return Buffer.from(text).toString("base64url")
}

/** Code and sentence of the refusal that `act` throws; "none" when it returns. */
export function refusalOf(act: () => unknown): { code: string; sentence: string; field?: string } {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message: sentence, field } = error
    return field === undefined ? { code, sentence } : { code, sentence, field }
  }
  return { code: "none", sentence: "" }
}

/** An ECDSA signature in DER from two integers as they are, leading zeros and all. */
export function derOf(r: Uint8Array, s: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.of(0x02, r.length), r, Buffer.of(0x02, s.length), s])
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

/** A fresh P-256 key, its compressed public half in hex. */
export function newP256Key(): { privateKey: KeyObject; publicKeyHex: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  return { privateKey, publicKeyHex: compress(Buffer.from(x, "base64url"), Buffer.from(y, "base64url")) }
}

/** SEC 1 §2.3.3, compressed, in hex. */
export function compress(x: Uint8Array, y: Uint8Array): string {
  return ((y.at(-1) ?? 0) % 2 === 0 ? "02" : "03") + Buffer.from(x).toString("hex")
}

export function signP256(privateKey: KeyObject, body: Uint8Array): Buffer {
  return sign("sha256", body, privateKey)
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}
