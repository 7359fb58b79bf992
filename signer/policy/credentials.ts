import { CredentialType, CredentialTypeSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Authenticator, User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Approval, Credential } from "./question.ts"

/** A key that stamps, as far as policies see it: an API key's id, or that of a session's record. */
export type Key = {
  readonly id: string
  readonly type: CredentialType
  readonly publicKey: string
  /** Of a session: its profile, "" where it has none. Absent: it is an API key. */
  readonly profileId?: string
}

export function keyCredential({ id, type, publicKey, profileId }: Key): Credential {
  const isSession = profileId !== undefined
  return { id, type: typeName(type), credentialId: "", publicKey, isSession, profileId: profileId ?? "" }
}

export function passkeyCredential({ authenticatorId, credentialId, publicKey }: Authenticator): Credential {
  return {
    id: authenticatorId,
    type: typeName(CredentialType.WEBAUTHN_AUTHENTICATOR),
    credentialId: base64url(credentialId),
    publicKey: base64url(publicKey),
    isSession: false,
    profileId: "",
  }
}

const votes = new WeakMap<User, readonly Approval[]>()

/**
 * The votes that a user could still cast, one for each of his credentials. A session is among them whether he has one
 * or not: he can log in at any time, with a key that nobody knows yet.
 */
export function possibleVotes(user: User): readonly Approval[] {
  const known = votes.get(user)
  if (known !== undefined) return known
  const keys = user.apiKeys.map(({ apiKeyId: id, type, publicKey }) => keyCredential({ id, type, publicKey }))
  const passkeys = user.authenticators.map(passkeyCredential)
  const session = keyCredential({ id: "", type: CredentialType.LOGIN, publicKey: "", profileId: "" })
  const possible = [...keys, ...passkeys, session].map((credential) => ({ user, credentials: [credential] }))
  votes.set(user, possible)
  return possible
}

function typeName(type: CredentialType): string {
  return CredentialTypeSchema.value[type]?.name ?? ""
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url")
}
