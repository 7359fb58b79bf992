import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto"

/** A P-256 key that stamps as published clients do. */
export type TestKey = { publicKey: string; privateKey: KeyObject }

export function makeKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const isOdd = (Buffer.from(y, "base64url").at(-1) ?? 0) & 1
  const compressed = Buffer.concat([Buffer.from([2 + isOdd]), Buffer.from(x, "base64url")])
  return { publicKey: compressed.toString("hex"), privateKey }
}

/** Value of X-Stamp over a body. */
export function stamp({ publicKey, privateKey }: TestKey, body: string): string {
  const signature = createSign("sha256").update(body).sign(privateKey).toString("hex")
  const json = JSON.stringify({ publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature })
  return Buffer.from(json).toString("base64url")
}

/** Headers with a stamp that has the form of one and is of nobody: a body is read behind it. */
export const FORMED = {
  "x-stamp": Buffer.from(
    JSON.stringify({
      publicKey: `02${"11".repeat(32)}`,
      scheme: "SIGNATURE_SCHEME_TK_API_P256",
      signature: "3006020101020101",
    }),
  ).toString("base64url"),
}
