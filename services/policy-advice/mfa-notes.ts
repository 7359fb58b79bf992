import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { compile } from "../../signer/core/policy/expression.ts"
import { lintVersions } from "./lint-versions.ts"
import type { PolicyNote } from "./notes.ts"

/** An authentication method as a request writes it. */
type Method = { readonly type: string; readonly id?: string | undefined }

/** An MFA policy as a request writes it. */
export type MfaPolicyText = {
  readonly userId: string
  readonly mfaPolicyName: string
  readonly condition: string
  readonly requiredAuthenticationMethods: readonly { readonly any: readonly Method[] }[]
}

/** Credentials that a note names. */
const MAX_NAMED = 5

/** Notes about an MFA policy: versions of activities that pass it, and credentials of its user that meet no step. */
export function mfaNotesOf(text: MfaPolicyText, document: Pick<OrganizationDocument, "users">): PolicyNote[] {
  return [...versionNotes(text), ...credentialNotes(text, document)]
}

/** An MFA policy guards what its condition names, as a DENY does. */
function versionNotes({ mfaPolicyName: policyName, condition }: MfaPolicyText): PolicyNote[] {
  const compiled = compile(condition, "condition")
  return [...lintVersions(compiled, { effect: "deny" })].map(({ sentence, offset, length }) => ({
    policyName,
    sentence,
    at: { field: "condition", offset, length, text: condition.slice(offset, offset + length) },
  }))
}

/** A note about the user's credentials that meet no step: with these alone the user cannot do what the policy is about. */
function credentialNotes(
  { userId, mfaPolicyName, requiredAuthenticationMethods }: MfaPolicyText,
  { users }: Pick<OrganizationDocument, "users">,
): PolicyNote[] {
  const user = users.find((candidate) => candidate.userId === userId.toLowerCase())
  if (user === undefined) return []
  const methods = requiredAuthenticationMethods.flatMap(({ any }) => any)
  const meets = (type: string, id: string) =>
    methods.some((method) => method.type === SESSION || (method.type === type && isNamed(method, id)))
  const leftOut = [
    ...user.apiKeys
      .filter(({ apiKeyId }) => !meets("AUTHENTICATION_TYPE_API_KEY", apiKeyId))
      .map(({ name, apiKeyId }) => `API key ${name} (${apiKeyId})`),
    ...user.authenticators
      .filter(({ authenticatorId }) => !meets("AUTHENTICATION_TYPE_PASSKEY", authenticatorId))
      .map(({ name, authenticatorId }) => `passkey ${name} (${authenticatorId})`),
  ]
  if (leftOut.length === 0) return []
  const more = leftOut.length > MAX_NAMED ? `, ${leftOut.length - MAX_NAMED} more` : ""
  const named = leftOut.slice(0, MAX_NAMED).join(", ") + more
  return [{ policyName: mfaPolicyName, sentence: `no step is met by ${named}` }]
}

/** Every credential opens sessions. */
const SESSION = "AUTHENTICATION_TYPE_SESSION"

function isNamed({ id = "" }: Method, credentialId: string): boolean {
  return id === "" || id.toLowerCase() === credentialId
}
