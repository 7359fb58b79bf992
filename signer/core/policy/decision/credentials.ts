import {
  CredentialType,
  CredentialTypeSchema,
  OtpType,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type {
  Authenticator,
  OauthProvider,
  User,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { identityName } from "../../oidc/identity.ts"
import { contactsOf } from "../../otp/user-contact.ts"
import type { Approval, Credential } from "./decision-input.ts"

/** A key that stamps, as policies see it. */
export type StampingKey = {
  readonly id: string
  readonly type: CredentialType
  readonly publicKey: string
  /** The session's profile id, "" for a plain session. Absent: an API key. */
  readonly profileId?: string
  /** Public key of the API key or first session that the session comes from. */
  readonly openedBy?: string
}

export function keyCredential({ id, type, publicKey, profileId, openedBy = "" }: StampingKey): Credential {
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

/** An OIDC identity, whose token attests the key that stamps. Its public key is its name: each token attests another key. */
export function identityCredential(provider: OauthProvider): Credential {
  return {
    id: provider.providerId,
    type: typeName(CredentialType.OAUTH_KEY_P256),
    credentialId: "",
    publicKey: identityName(provider),
    isSession: false,
    profileId: "",
    openedBy: "",
  }
}

/** A contact that a code proved. No registered key is behind it, so its public key is the user's and channel's name. */
export function contactCredential({ userId }: User, channel: OtpType): Credential {
  const name = `${channel === OtpType.EMAIL ? EMAIL_ORIGIN : SMS_ORIGIN}${userId}`
  const type = typeName(CredentialType.OTP_AUTH_KEY_P256)
  return { id: "", type, credentialId: "", publicKey: name, isSession: false, profileId: "", openedBy: "" }
}

const EMAIL_ORIGIN = "contact:email:"
const SMS_ORIGIN = "contact:sms:"

/** Channel of a credential that is a contact; undefined for others, also for a session that a contact opened. */
export function channelOf({ isSession, publicKey }: Credential): OtpType | undefined {
  if (isSession) return undefined
  if (publicKey.startsWith(EMAIL_ORIGIN)) return OtpType.EMAIL
  return publicKey.startsWith(SMS_ORIGIN) ? OtpType.SMS : undefined
}

/**
 * The key that a credential comes from: its user has all sessions opened with it. So a session is no second factor
 * beside the API key, OIDC identity or session that opened it. A session opened by a passkey is: a passkey asks its user at each stamp.
 */
export function credentialOrigin({ openedBy, publicKey }: Credential): string {
  return openedBy === "" ? publicKey : openedBy
}

/** True for the origin of sessions that a contact or an OIDC identity began; keys are hexadecimal. */
export function isProvenOrigin(origin: string): boolean {
  return /^(?:contact|oidc):/.test(origin)
}

/** Origin of a session that a stamp of this credential opens; empty for a passkey. */
export function sessionOrigin(credential: Credential): string {
  return credential.credentialId === "" ? credentialOrigin(credential) : ""
}

/** A vote that a user can cast until its credential expires. */
type PossibleVote = { readonly vote: Approval; readonly expiresAtMs: bigint }

/** `lasting`: the votes of a user without expiring credentials; else undefined. */
type PossibleVotes = {
  readonly all: readonly PossibleVote[]
  readonly lasting: readonly Approval[] | undefined
}

const votes = new WeakMap<User, PossibleVotes>()

/**
 * The votes that a user could still cast, one for each of their credentials that has not expired. A session is among them,
 * by a key not known yet, while one of these or a contact lets the user log in. A cast vote of any other session counts as well.
 */
export function possibleVotes(user: User, nowMs: number): readonly Approval[] {
  const known = votes.get(user) ?? votesOf(user)
  votes.set(user, known)
  const { all, lasting } = known
  if (lasting !== undefined) return lasting
  return votingOf(
    user,
    all.filter(({ expiresAtMs }) => expiresAtMs === 0n || expiresAtMs > BigInt(nowMs)),
  )
}

/** Whether a message to a contact lets the user in is for the organization to say: here any contact may. */
function votingOf({ email, phoneNumber }: User, live: readonly PossibleVote[]): readonly Approval[] {
  const canLogIn = live.length > 1 || email !== "" || phoneNumber !== ""
  return canLogIn ? live.map(({ vote }) => vote) : []
}

/** The last one is the session's. */
function votesOf(user: User): PossibleVotes {
  const possible = ({ expiresAtMs = 0n }, credential: Credential): PossibleVote => ({
    vote: { user, credentials: [credential] },
    expiresAtMs,
  })
  const session = keyCredential({ id: "", type: CredentialType.LOGIN, publicKey: "", profileId: "" })
  const all = [
    ...user.apiKeys.map((key) => possible(key, keyCredential({ ...key, id: key.apiKeyId }))),
    ...user.authenticators.map((passkey) => possible({}, passkeyCredential(passkey))),
    ...user.oauthProviders.map((provider) => possible({}, identityCredential(provider))),
    ...contactsOf(user).map(({ channel }) => possible({}, contactCredential(user, channel))),
    possible({}, session),
  ]
  return {
    all,
    lasting: all.every(({ expiresAtMs }) => expiresAtMs === 0n) ? votingOf(user, all) : undefined,
  }
}

function typeName(type: CredentialType): string {
  return CredentialTypeSchema.value[type]?.name ?? ""
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url")
}
