import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { type Algorithm, ALGORITHMS, type VerificationKey } from "./keys.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** A JWS in compact form (RFC 7515 section 7.1), decoded and not yet verified. */
export type Jws = {
  algorithmName: string
  algorithm: Algorithm
  /** "kid" of the header. */
  keyId: string | undefined
  payload: Uint8Array
  /** The signed bytes: header and payload as sent. */
  signingInput: Uint8Array
  signature: Uint8Array
}

/** Keys that are tried for one token: issuers that name none publish two or three. */
const MAX_TRIED = 8

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** Decodes a compact JWS. @throws OIDC_TOKEN_INVALID without three parts, a strict header, an accepted algorithm */
export function readJws(compact: string, field: string): Jws {
  const parts = compact.split(".")
  const [header = "", payload = "", signature = ""] = parts
  if (parts.length !== 3) throw invalidToken("it must have three parts", field)
  const members = readHeader(decode(header, field), field)
  const { alg, kid } = members
  const algorithm = typeof alg === "string" ? ALGORITHMS.get(alg) : undefined
  if (typeof alg !== "string" || algorithm === undefined)
    throw invalidToken(`algorithm ${JSON.stringify(alg)} is not accepted`.slice(0, 100), field)
  if (kid !== undefined && typeof kid !== "string") throw invalidToken("its key id is no text", field)
  return {
    algorithmName: alg,
    algorithm,
    keyId: kid,
    payload: decode(payload, field),
    signingInput: Buffer.from(`${header}.${payload}`),
    signature: decode(signature, field),
  }
}

/**
 * True if one of the issuer's keys signed the JWS. Those with the token's key id and of its algorithm are tried; where none
 * has the id, those without any.
 * @throws OIDC_TOKEN_INVALID when no key fits, or too many do
 */
export function isSigned(jws: Jws, keys: readonly VerificationKey[], field: string): boolean {
  const ofAlgorithm = keys.filter((key) => canSign(key, jws))
  const named = ofAlgorithm.filter(({ keyId }) => keyId === jws.keyId)
  const nameless = jws.keyId === undefined ? ofAlgorithm : ofAlgorithm.filter(({ keyId }) => keyId === "")
  const fitting = named.length > 0 ? named : nameless
  if (fitting.length > 0 && fitting.length <= MAX_TRIED) return fitting.some((key) => isSignedBy(jws, key))
  const kind = jws.keyId === undefined ? "for its algorithm" : "for its key id and algorithm"
  throw invalidToken(`the issuer has ${fitting.length} keys ${kind}, expected 1 to ${MAX_TRIED}`, field)
}

function isSignedBy({ algorithm, signingInput, signature }: Jws, { key }: VerificationKey): boolean {
  const { signatureLength } = algorithm
  if (signatureLength !== undefined && signature.length !== signatureLength) return false
  return algorithm.verify(signingInput, key, signature)
}

function canSign(key: VerificationKey, { algorithm, algorithmName }: Jws): boolean {
  if (key.algorithm !== "" && key.algorithm !== algorithmName) return false
  return key.family === algorithm.family
}

function readHeader(bytes: Uint8Array, field: string): JsonMembers {
  const header = readMembers(bytes, "header", field)
  // Critical extensions must be understood (RFC 7515 section 4.1.11); none is supported.
  if (header["crit"] !== undefined) throw invalidToken("its header has critical extensions", field)
  const { typ } = header
  if (typ !== undefined && (typeof typ !== "string" || typ.toUpperCase() !== "JWT"))
    throw invalidToken("its header says that it is another kind of token", field)
  return header
}

/** A part of a token as a JSON object with one reading. @throws OIDC_TOKEN_INVALID */
export function readMembers(bytes: Uint8Array, part: string, field: string): JsonMembers {
  return readJsonObject(bytes, (reason, cause) => invalidToken(`its ${part} ${reason}`, field, cause))
}

/** Base64url without padding (RFC 7515 section 2), in the one spelling that these bytes have. */
function decode(part: string, field: string): Uint8Array {
  const bytes = Buffer.from(part, "base64url")
  if (BASE64URL.test(part) && bytes.toString("base64url") === part) return Uint8Array.from(bytes)
  throw invalidToken("it is not base64url", field)
}

/** Refuses a token. `why` completes the sentence and repeats nothing of the token but names. */
export function invalidToken(why: string, field: string, cause?: unknown): Refusal {
  return refuse("OIDC_TOKEN_INVALID", `invalid OIDC token: ${why}`, { field, cause })
}
