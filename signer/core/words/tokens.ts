// Readable parts of encoded values: the claims of a token, the origin of a passkey.
import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { readBase64url } from "../encodings.ts"
import { quoted } from "./text.ts"
import type { DescriptionLine } from "./words.ts"

const JWS = /^(?:[\w-]+)\.([\w-]+)\.[\w-]+$/
/** Claims by which a person recognizes a token (RFC 7519 §4.1; OpenID Connect Core §5.1). */
const CLAIMS = ["iss", "sub", "aud", "email", "nonce", "contact", "verification_type"] as const
/** Members of clientDataJSON (WebAuthn §5.8.1). */
const CLIENT_DATA = ["type", "origin", "challenge"] as const

/** Facts from within a token or the client data of a passkey; none for any other value. Nothing is verified here. */
export function tokenFacts(jsonName: string, value: unknown): DescriptionLine[] {
  if (typeof value !== "string") return []
  if (jsonName === "clientDataJson") return factsOf(value, CLIENT_DATA)
  const [, payload] = JWS.exec(value) ?? []
  return payload === undefined ? [] : factsOf(payload, CLAIMS)
}

function factsOf(base64url: string, names: readonly string[]): DescriptionLine[] {
  const members = readJson(base64url)
  return names.flatMap((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined
    if (value === undefined) return []
    return [{ name, value: quoted(typeof value === "string" ? value : JSON.stringify(value)) }]
  })
}

/** Members as the signer reads them, so that approvers see the value that counts. Empty for a text that the signer refuses. */
function readJson(base64url: string): JsonMembers {
  const bytes = readBase64url(base64url)
  try {
    return readJsonObject(bytes ?? "", (reason, cause) => new Error(reason, { cause }))
  } catch {
    return {}
  }
}
