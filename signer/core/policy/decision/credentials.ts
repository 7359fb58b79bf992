import { CredentialType, CredentialTypeSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Authenticator, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Approval, Credential } from "./decision-input.ts"

/** A key that stamps, as far as policies see it: an API key's id, or that of a session's record. */
export type Key = {
  readonly id: string
  readonly type: CredentialType
  readonly publicKey: string
  /** Of a session: its profile, "" where it has none. Absent: it is an API key. */
  readonly profileId?: string
  /** Of a session: public key of the API key or first session that it comes from. */
  readonly openedBy?: string
}

export function keyCredential({ id, type, publicKey, profileId, openedBy = "" }: Key): Credential {
  const isSession = profileId !== undefined
  const named = { id, type: typeName(type), credentialId: "", publicKey }
  return { ...named, isSession, profileId: profileId ?? "", openedBy }
}

export function passkeyCredential({ authenticatorId, credentialId, publicKey }: Authenticator): Credential {
  return {
    id: authenticatorId,
    type: typeName(CredentialType.WEBAUTHN_AUTHENTICATOR),
    credentialId: base64url(credentialId),
    publicKey: base64url(publicKey),
    isSession: false,
    profileId: "",
    openedBy: "",
  }
}

/**
 * What a credential comes down to: whoever has that, has all that comes from it. A session opened by an API key is no
 * second thing to have beside the key, nor one opened by a session beside that. One that a passkey opened is: a passkey
 * stamps nothing before its holder was asked, so published clients let it confirm what its session asked for.
 */
export function sourceOf({ openedBy, publicKey }: Credential): string {
  return openedBy === "" ? publicKey : openedBy
}

/** What a session comes from that is opened by a stamp of this credential. */
export function openerOf(credential: Credential): string {
  return credential.credentialId === "" ? sourceOf(credential) : ""
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
