import { parseStrictJsonBytes } from "../../../proto/strict-json.ts"
import { invalidIssuer } from "./fault.ts"
import { isObject, type Members, textOf } from "./members.ts"

/**
 * Reads a provider's configuration (OpenID Connect Discovery 1.0 section 4.2) and returns where its keys are.
 *
 * @param issuer as the token names it: the configuration must name the same (section 4.3), or any host could
 *   answer for any issuer
 * @throws ISSUER_INVALID
 */
export function readKeysUrl(document: Uint8Array, issuer: string): URL {
  const members = readObject(document)
  if (textOf(members, "issuer") !== issuer) throw invalidIssuer("it names another issuer")
  const url = textOf(members, "jwks_uri") ?? ""
  if (!URL.canParse(url)) throw invalidIssuer("it does not say where its keys are")
  return new URL(url)
}

function readObject(document: Uint8Array): Members {
  let value: unknown
  try {
    value = parseStrictJsonBytes(document)
  } catch (cause) {
    throw invalidIssuer("it is not JSON", cause)
  }
  if (isObject(value)) return value
  throw invalidIssuer("it is no JSON object")
}
