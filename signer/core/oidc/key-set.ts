import { createPublicKey, type JsonWebKey } from "node:crypto"
import { parseStrictJsonBytes } from "../../../proto/strict-json.ts"
import { ALGORITHMS } from "./algorithms.ts"
import { invalidIssuer } from "./fault.ts"
import { familyOf, type IssuerKey } from "./keys.ts"
import { isObject, type Members, textOf } from "./members.ts"

/** Large issuers publish three or four. */
const MAX_KEYS = 64
const MAX_KEY_ID_LENGTH = 256

/**
 * Reads a JSON Web Key Set (RFC 7517 section 5). Keys that are of another kind, too weak or not for signatures
 * are left out: issuers publish those too.
 *
 * @throws ISSUER_INVALID when it is no key set, or none of its keys can be used
 */
export function readKeySet(document: Uint8Array): IssuerKey[] {
  const members = readKeys(document)
  if (members.length > MAX_KEYS) throw invalidIssuer(`its key set has more than ${MAX_KEYS} keys`)
  const keys = members.flatMap((jwk) => (isObject(jwk) ? (readKey(jwk) ?? []) : []))
  if (keys.length === 0) throw invalidIssuer("its key set holds no key of a kind that is accepted")
  return keys
}

function readKeys(document: Uint8Array): unknown[] {
  let set: unknown
  try {
    set = parseStrictJsonBytes(document)
  } catch (cause) {
    throw invalidIssuer("its key set is not JSON", cause)
  }
  if (isObject(set) && Array.isArray(set["keys"])) return set["keys"]
  throw invalidIssuer("its key set has no list of keys")
}

function readKey(jwk: Members): IssuerKey | undefined {
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

/** "use" and "key_ops" (RFC 7517 sections 4.2, 4.3), where there are any. */
function isForSignatures(jwk: Members): boolean {
  const { use, key_ops: operations } = jwk
  if (use !== undefined && use !== "sig") return false
  return operations === undefined || (Array.isArray(operations) && operations.includes("verify"))
}

/** Only what makes up the public half: anything else must not decide what key it is. */
function publicMembers(jwk: Members): JsonWebKey {
  const names = ["kty", "crv", "x", "y", "n", "e"] as const
  return Object.fromEntries(names.flatMap((name) => (name in jwk ? [[name, textOf(jwk, name)]] : [])))
}
