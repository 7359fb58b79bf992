import crypto, { type KeyObject } from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { p256 } from "@noble/curves/nist.js"

const original = crypto.sign

type Options = { key: KeyObject; dsaEncoding?: "der" | "ieee-p1363" }

/**
 * Makes `sign` of node:crypto use the nonces of RFC 6979 for P-256 in this process. OpenSSL's nonces are random, so the
 * documents and receipts of two equal runs would differ. All other keys are left to OpenSSL.
 */
export function signDeterministically(): void {
  crypto.sign = ((algorithm: string | null, bytes: Uint8Array, key: KeyObject | Options) => {
    const { key: keyObject, dsaEncoding = "der" } = "key" in key ? key : { key }
    const scalar = algorithm === "sha256" ? scalarOf(keyObject) : undefined
    if (scalar === undefined) return original(algorithm, bytes, key)
    const format = dsaEncoding === "der" ? "der" : "compact"
    return Buffer.from(p256.sign(bytes, scalar, { lowS: false, format }))
  }) as typeof crypto.sign
  syncBuiltinESMExports()
}

/** Scalars of P-256 keys; undefined: another key. */
const scalars = new WeakMap<KeyObject, Uint8Array | undefined>()

function scalarOf(key: KeyObject): Uint8Array | undefined {
  if (!scalars.has(key)) {
    const { crv, d = "" } = key.export({ format: "jwk" })
    scalars.set(key, crv === "P-256" ? Buffer.from(d, "base64url") : undefined)
  }
  return scalars.get(key)
}
