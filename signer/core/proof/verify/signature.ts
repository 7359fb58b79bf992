import { type KeyObject, verify } from "node:crypto"
import { readPublicKeySet } from "../../crypto/keyset.ts"
import { EPHEMERAL_SCHEME } from "../app-proof.ts"
import { failed, type Finding, quoted } from "./finding.ts"

/** An app proof as the public interface shows it. */
export type ShownProof = { scheme: string; publicKey: string; proofPayload: string; signature: string }

/** The fault of an app proof by itself; undefined: its key signed exactly this text. */
export function faultOfSignature({
  scheme,
  publicKey,
  proofPayload,
  signature,
}: ShownProof): Finding | undefined {
  if (scheme !== EPHEMERAL_SCHEME) return failed(`its scheme is ${quoted(scheme)}, not ${EPHEMERAL_SCHEME}`)
  const key = readPublicKeySet(publicKey)?.sign
  if (key === undefined) return failed("its public key is no key set of two points, 260 hexadecimal digits")
  if (isSigned(key, Buffer.from(proofPayload), signature)) return undefined
  return failed("its signature does not fit its text: text, key or signature was altered")
}

/** ECDSA P-256 with SHA-256, r || s in 128 hexadecimal digits. */
function isSigned(key: KeyObject, message: Uint8Array, signatureHex: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signatureHex)) return false
  const form = { key, dsaEncoding: "ieee-p1363" } as const
  return verify("sha256", message, form, Buffer.from(signatureHex, "hex"))
}
