import type { KeyObject } from "node:crypto"
import { p256PublicKey } from "./p256.ts"

/** A key set as others know it. */
export type PublicKeySet = { readonly encrypt: KeyObject; readonly sign: KeyObject }

const POINT_LENGTH = 65

/** Reads the public form, `encrypt point(65) || sign point(65)` in lower-case hexadecimal; undefined: it is none. */
export function readPublicKeySet(publicHex: string): PublicKeySet | undefined {
  if (!/^[0-9a-f]{260}$/.test(publicHex)) return undefined
  const bytes = Buffer.from(publicHex, "hex")
  const encrypt = p256PublicKey(bytes.subarray(0, POINT_LENGTH))
  const sign = p256PublicKey(bytes.subarray(POINT_LENGTH))
  return encrypt && sign && { encrypt, sign }
}
