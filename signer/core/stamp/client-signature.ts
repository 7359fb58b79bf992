import { verify } from "node:crypto"
import { isJsonObject, type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { strictDerSignature } from "./der.ts"
import { findPublicKey } from "./keys.ts"

/** A signature by the key that a verification token is bound to, over the JSON text of the token's use. */
export type ClientSignature = { publicKey: string; message: string; signature: string }

/** The token's use that the message must state. `type`: `USAGE_TYPE_LOGIN` or `USAGE_TYPE_SIGNUP`. */
export type TokenUsage = { type: string; tokenId: string }

/** Length of r || s. */
const RAW_BYTES = 64

/**
 * Requires that the token's key signed a message about this use of this token; returns the members of the message. Clients
 * write them in different orders, so the text is verified as sent and compared by meaning.
 * @throws CLIENT_SIGNATURE_INVALID
 */
export function requireClientSignature(
  signed: ClientSignature | undefined,
  boundKey: string | undefined,
  usage: TokenUsage,
  field: string,
): JsonMembers {
  const { message } = requireSigned(signed, boundKey, field)
  const members = readJsonObject(message, (reason, cause) => invalid(`the message ${reason}`, field, cause))
  if (members["type"] !== usage.type || members["tokenId"] !== usage.tokenId)
    throw invalid(`the message is not about a ${usage.type} with this token`, field)
  return members
}

/** The signature, if it is one of the key that the token is bound to. @throws CLIENT_SIGNATURE_INVALID */
function requireSigned(
  signed: ClientSignature | undefined,
  boundKey: string | undefined,
  field: string,
): ClientSignature {
  if (boundKey === undefined)
    throw invalid("the verification token is bound to no key: verify the code again with one", field)
  if (signed === undefined)
    throw invalid("the verification token is bound to a key, which must sign this use", field)
  if (signed.publicKey.toLowerCase() !== boundKey)
    throw invalid("publicKey is not the key that the token is bound to", field)
  if (!isSigned(signed)) throw invalid("the key did not sign this message", field)
  return signed
}

/** A token that opens a session: its text, its id, and the key that it is bound to. */
type LoginToken = { compact: string; id: string; publicKey: string | undefined }

/**
 * Requires that the token's key signed this login: a message about it that names the session's key, or the token itself.
 * The token names no session key, so its signature opens a session for the token's own key alone.
 * @throws CLIENT_SIGNATURE_INVALID
 */
export function requireSignedLogin(
  signed: ClientSignature | undefined,
  token: LoginToken,
  publicKey: string,
  field: string,
): void {
  if (signed?.message === token.compact) {
    requireSigned(signed, token.publicKey, field)
    if (publicKey.toLowerCase() === token.publicKey) return
    throw invalid(
      "a signature of the token itself is for its own key; parameters.publicKey is another",
      field,
    )
  }
  const usage = { type: "USAGE_TYPE_LOGIN", tokenId: token.id }
  const { login } = requireClientSignature(signed, token.publicKey, usage, field)
  const named = isJsonObject(login) ? login["publicKey"] : undefined
  if (typeof named === "string" && named.toLowerCase() === publicKey.toLowerCase()) return
  throw invalid("the message names another session key than parameters.publicKey", field)
}

function isSigned({ publicKey, message, signature }: ClientSignature): boolean {
  const key = findPublicKey("P256", publicKey.toLowerCase())
  const bytes = Buffer.from(signature, "hex")
  if (key === undefined || bytes.toString("hex") !== signature.toLowerCase()) return false
  if (bytes.length === RAW_BYTES)
    return verify("sha256", Buffer.from(message), { key, dsaEncoding: "ieee-p1363" }, bytes)
  const der = strictDerSignature(bytes, "P256")
  return der !== undefined && verify("sha256", Buffer.from(message), key, der)
}

function invalid(why: string, field: string, cause?: unknown): Refusal {
  return refuse("CLIENT_SIGNATURE_INVALID", `invalid client signature: ${why}`, { field, cause })
}
