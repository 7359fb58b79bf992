import { createPublicKey, type JsonWebKey } from "node:crypto"
import { isJsonObject, type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { ALGORITHMS, familyOf, type IssuerKey } from "./keys.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** Large issuers publish three or four keys. */
const MAX_KEYS = 64
const MAX_KEY_ID_LENGTH = 256

/**
 * Reads a JSON Web Key Set (RFC 7517 section 5). Keys of other kinds, weak keys and keys that are not for signatures are
 * left out: issuers publish those too.
 *
 * @throws ISSUER_INVALID: no key set, or none of its keys can be used
 */
export function readKeySet(document: Uint8Array): IssuerKey[] {
  const members = readKeys(document)
  if (members.length > MAX_KEYS) throw invalidIssuer(`its key set has more than ${MAX_KEYS} keys`)
  const keys = members.flatMap((jwk) => (isJsonObject(jwk) ? (readKey(jwk) ?? []) : []))
  if (keys.length === 0) throw invalidIssuer("its key set holds no key of a kind that is accepted")
  return keys
}

function readKeys(document: Uint8Array): unknown[] {
  const { keys } = readJsonObject(document, (reason, cause) => invalidIssuer(`its key set ${reason}`, cause))
  if (Array.isArray(keys)) return keys
  throw invalidIssuer("its key set has no list of keys")
}

function readKey(jwk: JsonMembers): IssuerKey | undefined {
  const keyId = textOf(jwk, "kid") ?? ""
  const algorithm = textOf(jwk, "alg") ?? ""
  if (!isForSignatures(jwk) || keyId.length > MAX_KEY_ID_LENGTH) return undefined
  const allowed = ALGORITHMS.get(algorithm)
  if (algorithm !== "" && allowed === undefined) return undefined
  try {
    const key = createPublicKey({ key: publicMembers(jwk), format: "jwk" })
    const family = familyOf(key)
    if (family === undefined || (allowed !== undefined && allowed.family !== family)) return undefined
    return { keyId, algorithm, spki: Uint8Array.from(key.export({ format: "der", type: "spki" })) }
  } catch {
    return undefined
  }
}

/** Checks "use" and "key_ops" (RFC 7517 sections 4.2, 4.3), if present. */
function isForSignatures(jwk: JsonMembers): boolean {
  const { use, key_ops: operations } = jwk
  if (use !== undefined && use !== "sig") return false
  return operations === undefined || (Array.isArray(operations) && operations.includes("verify"))
}

/** Only the members of the public half: no other member may influence which key is read. */
function publicMembers(jwk: JsonMembers): JsonWebKey {
  const names = ["kty", "crv", "x", "y", "n", "e"] as const
  return Object.fromEntries(names.flatMap((name) => (name in jwk ? [[name, textOf(jwk, name)]] : [])))
}

/** The member if it is a string; any other value counts as absent. */
function textOf(members: JsonMembers, name: string): string | undefined {
  const value = members[name]
  return typeof value === "string" ? value : undefined
}

/** URL of an issuer's configuration (OpenID Connect Discovery 1.0 section 4). */
export function configurationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
}

/**
 * Reads a provider's configuration (OpenID Connect Discovery 1.0 section 4.2) and returns the URL of its keys.
 *
 * @param issuer as the token names it: the configuration must name the same issuer (section 4.3), or any host could
 *   answer for any issuer
 * @throws ISSUER_INVALID
 */
export function readKeysUrl(document: Uint8Array, issuer: string): URL {
  const { issuer: named, jwks_uri: url } = readJsonObject(document, unreadable)
  if (named !== issuer) throw invalidIssuer("it names another issuer")
  if (typeof url !== "string" || !URL.canParse(url)) throw invalidIssuer("jwks_uri is no URL")
  return new URL(url)
}

function unreadable(reason: string, cause?: unknown): Refusal {
  return invalidIssuer(`it ${reason}`, cause)
}

/** Refuses what an issuer published. */
function invalidIssuer(why: string, cause?: unknown): Refusal {
  return refuse("ISSUER_INVALID", `the OIDC issuer's published configuration cannot be used: ${why}`, {
    cause,
  })
}
