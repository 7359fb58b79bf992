import { isJsonObject, type JsonMembers } from "../../../proto/strict-json.ts"
import { refuse } from "../refusal.ts"
import { type ClientSignature, requireClientSignature } from "./client-signature.ts"

/** The contacts and credentials of a new user as the request has them: JSON values by the names of the interface. */
export type SignedUser = {
  email: string | undefined
  phoneNumber: string | undefined
  apiKeys: readonly unknown[]
  authenticators: readonly unknown[]
  oauthProviders: readonly unknown[]
}

/** Names under which clients of different versions describe a sign-up. */
const USAGES = ["signup", "signupV2"]

/**
 * Requires that the token's key signed this sign-up: a message with the contacts and all credentials of the new user.
 * Values are compared by meaning: the order of members does not count, and an empty list is the same as none.
 * @throws CLIENT_SIGNATURE_INVALID
 */
export function requireSignedSignUp(
  signed: ClientSignature | undefined,
  token: { id: string; publicKey: string | undefined },
  user: SignedUser,
  field: string,
): void {
  const usage = { type: "USAGE_TYPE_SIGNUP", tokenId: token.id }
  const members = requireClientSignature(signed, token.publicKey, usage, field)
  const [described, another] = USAGES.map((name) => members[name]).filter((member) => member !== undefined)
  if (!isJsonObject(described) || another !== undefined)
    throw invalid("the message describes no sign-up", field)
  const asked: JsonMembers = { ...user }
  const names = new Set([...Object.keys(described), ...Object.keys(asked)])
  const differing = [...names].find((name) => canonical(described[name]) !== canonical(asked[name]))
  if (differing === undefined) return
  throw invalid(`the message has other ${differing} than the new user`, field)
}

/** One text for values that mean the same. Numbers and other texts stay as they are: nothing is converted. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "" : `[${value.map(canonical).join()}]`
  if (!isJsonObject(value)) return value === undefined ? "" : JSON.stringify(value)
  const members = Object.keys(value)
    .toSorted()
    .map((name) => [name, canonical(value[name])] as const)
    .filter(([, text]) => text !== "")
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
}

function invalid(why: string, field: string) {
  return refuse("CLIENT_SIGNATURE_INVALID", `invalid client signature: ${why}`, { field })
}
