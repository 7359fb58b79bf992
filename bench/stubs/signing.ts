import { randomBytes } from "node:crypto"
import libsecp256k1 from "secp256k1/bindings.js"

/** The members of a signing request's body that the floors read. */
export type SigningBody = { organizationId: string; parameters: { payload: string } }
export type StubSignature = { r: string; s: string; v: string }

const secret = Uint8Array.from(randomBytes(32).fill(1, 0, 1))

export function signPayload(payloadHex: string): StubSignature {
  const { signature, recid } = libsecp256k1.ecdsaSign(Buffer.from(payloadHex, "hex"), secret)
  const hex = Buffer.from(signature).toString("hex")
  return { r: hex.slice(0, 64), s: hex.slice(64), v: `0${recid}` }
}
