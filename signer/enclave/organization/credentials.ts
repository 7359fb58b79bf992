import { create } from "@bufbuild/protobuf"
import { AccessType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ApiKey,
  ApiKeySchema,
  type Authenticator,
  AuthenticatorSchema,
  type OauthProvider,
  OauthProviderSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { isSameIdentity } from "../../core/oidc/identity.ts"
import { refuse } from "../../core/refusal.ts"
import { credentialKeyName, hasKeyName } from "../../core/webauthn/cose-key.ts"
import { requireAccess } from "./access.ts"
import { requireIds, requireNotOfProxy } from "./checks.ts"
import type { Draft, Session, SessionOpener } from "./draft.ts"
import { hasLastingLoginMethod } from "./login-methods.ts"

function isLasting(key: ApiKey): boolean {
  return key.expiresAtMs === 0n
}

/** Removes credentials of a user, who keeps a lasting login method if they had one. @throws LAST_CREDENTIAL */
function removeCredentials(draft: Draft, user: User, remaining: Partial<User>, field: string): void {
  const hadLasting = hasLastingLoginMethod(draft, user)
  Object.assign(user, remaining)
  if (hadLasting && !hasLastingLoginMethod(draft, user)) {
    const sentence = `user missing valid credential: ${user.userId} would be left without a lasting one; add another first`
    throw refuse("LAST_CREDENTIAL", sentence, { field })
  }
  draft.touch(user)
}

/** @throws CREDENTIAL_TAKEN when the key is a credential or an active session; own sessions of `forUserId` are allowed */
function requireFreeKey(draft: Draft, publicKey: string, field: string, forUserId = ""): void {
  const { id, document } = draft
  const isCredential = document.users.some((user) => user.apiKeys.some((key) => key.publicKey === publicKey))
  if (!isCredential && !isActiveSession(draft, publicKey, forUserId)) return
  const sentence = `public key ${publicKey} is already a credential of organization ${id}`
  throw refuse("CREDENTIAL_TAKEN", sentence, { field })
}

/** True if the key is an unexpired session of an existing user other than `exceptUserId`. */
function isActiveSession({ document, sessions, nowMs }: Draft, publicKey: string, exceptUserId: string) {
  const session = sessions.find(publicKey)
  if (session === undefined || session.userId === exceptUserId || session.expiresAtMs <= nowMs) return false
  return document.users.some(({ userId }) => userId === session.userId)
}

/** Makes room for one more expiring key of a user: removes the oldest expired key or session, else the oldest. */
function makeRoomForExpiring(draft: Draft, user: User): void {
  const keys = user.apiKeys.filter((key) => !isLasting(key))
  const sessions = draft.sessions.of(user.userId)
  if (keys.length + sessions.length < draft.limits.expiringKeys) return
  const expiring = [
    ...keys.map((key) => ({
      ...key,
      remove() {
        user.apiKeys = user.apiKeys.filter((other) => other !== key)
        draft.touch(user)
      },
    })),
    ...sessions.map((session) => ({ ...session, remove: () => draft.sessions.end(session) })),
  ]
  const expired = expiring.filter(({ expiresAtMs }) => expiresAtMs <= draft.nowMs)
  const candidates = expired.length > 0 ? expired : expiring
  candidates.reduce((a, b) => (b.createdAtMs < a.createdAtMs ? b : a)).remove()
}

export type NewApiKey = Pick<ApiKey, "apiKeyId" | "name" | "publicKey" | "type" | "expirationSeconds">

/** One expiring key too many replaces the oldest expired one, else the oldest. @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED, ACCESS_TYPE_EXCLUDES */
export function addApiKey(draft: Draft, user: User, key: NewApiKey, field: string): void {
  requireAccess(user, AccessType.API, "API keys", field)
  requireFreeKey(draft, key.publicKey, `${field}.publicKey`)
  const expires = key.expirationSeconds > 0n
  if (expires) makeRoomForExpiring(draft, user)
  else if (user.apiKeys.filter(isLasting).length >= draft.limits.apiKeys) {
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum long-lived api keys", { field })
  }
  const expiresAtMs = expires ? draft.nowMs + key.expirationSeconds * 1000n : 0n
  user.apiKeys.push(create(ApiKeySchema, { ...key, expiresAtMs, ...draft.created }))
  draft.touch(user)
}

/**
 * Removes API keys; an id may also be that of a session, which ends.
 * @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL, AUTH_PROXY_IN_USE
 */
export function removeApiKeys(draft: Draft, user: User, apiKeyIds: readonly string[], field: string): void {
  const sessions = draft.sessions.of(user.userId)
  const known = [...user.apiKeys.map(({ apiKeyId }) => apiKeyId), ...sessions.map(({ id }) => id)]
  requireIds(apiKeyIds, known, (id) => `unable to find api key ${id} of user ${user.userId}`, field)
  const removed = user.apiKeys.filter(({ apiKeyId }) => apiKeyIds.includes(apiKeyId))
  requireNotOfProxy(draft, ({ publicKey }) => removed.some((key) => key.publicKey === publicKey), field)
  for (const session of sessions) if (apiKeyIds.includes(session.id)) draft.sessions.end(session)
  const apiKeys = user.apiKeys.filter((key) => !apiKeyIds.includes(key.apiKeyId))
  if (apiKeys.length < user.apiKeys.length) removeCredentials(draft, user, { apiKeys }, field)
}

export type NewAuthenticator = Omit<Authenticator, "$typeName" | "$unknown" | "createdAtMs" | "updatedAtMs">

/**
 * Adds a passkey to a user. No other passkey may have its credential id or its public key: the stamp does not cover the
 * id that it names. @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED, ACCESS_TYPE_EXCLUDES
 */
export function addAuthenticator(draft: Draft, user: User, added: NewAuthenticator, field: string): void {
  requireAccess(user, AccessType.WEB, "passkeys", field)
  const all = draft.document.users.flatMap(({ authenticators }) => authenticators)
  const isSameKey = hasKeyName(credentialKeyName(added.publicKey))
  const isSame = ({ credentialId, publicKey }: Authenticator) =>
    Buffer.compare(credentialId, added.credentialId) === 0 || isSameKey(publicKey)
  if (all.some(isSame)) {
    const sentence = `the passkey is already a credential of organization ${draft.id}`
    throw refuse("CREDENTIAL_TAKEN", sentence, { field: `${field}.attestation.credentialId` })
  }
  if (user.authenticators.length >= draft.limits.authenticators)
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum authenticators", { field })
  user.authenticators.push(create(AuthenticatorSchema, { ...added, ...draft.created }))
  draft.touch(user)
}

/** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeAuthenticators(draft: Draft, user: User, ids: readonly string[], field: string): void {
  const known = user.authenticators.map(({ authenticatorId }) => authenticatorId)
  const sentenceOf = (id: string) =>
    `webauthn authenticator not found in organization: ${id} of user ${user.userId}`
  requireIds(ids, known, sentenceOf, field)
  const isKept = ({ authenticatorId }: Authenticator) => !ids.includes(authenticatorId)
  removeCredentials(draft, user, { authenticators: user.authenticators.filter(isKept) }, field)
}

export type NewOauthProvider = Pick<OauthProvider, "providerId" | "name" | "issuer" | "audience" | "subject">

/** Adds an OpenID Connect identity, proven by the caller, to a user. @throws IDENTITY_TAKEN, LIMIT_EXCEEDED, ACCESS_TYPE_EXCLUDES */
export function addOauthProvider(draft: Draft, user: User, added: NewOauthProvider, field: string): void {
  requireAccess(user, AccessType.WEB, "OIDC identities", field)
  // An identity logs in as one user, so no two users may have it.
  const all = draft.document.users.flatMap(({ oauthProviders }) => oauthProviders)
  if (all.some((other) => isSameIdentity(other, added))) {
    const sentence = `the OIDC identity is already one of a user of organization ${draft.id}`
    throw refuse("IDENTITY_TAKEN", sentence, { field })
  }
  if (user.oauthProviders.length >= draft.limits.oauthProviders)
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum oauth providers", { field })
  user.oauthProviders.push(create(OauthProviderSchema, { ...added, ...draft.created }))
  draft.touch(user)
}

/** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeOauthProviders(draft: Draft, user: User, ids: readonly string[], field: string): void {
  const known = user.oauthProviders.map(({ providerId }) => providerId)
  requireIds(ids, known, (id) => `unable to find oauth provider ${id} of user ${user.userId}`, field)
  const isKept = ({ providerId }: OauthProvider) => !ids.includes(providerId)
  removeCredentials(draft, user, { oauthProviders: user.oauthProviders.filter(isKept) }, field)
}

export type NewSession = Omit<Session, "userId" | "createdAtMs" | "expiresAtMs"> & {
  /** True if the user's other sessions end. */
  invalidateExisting: boolean
}

/**
 * Opens a session for a user. One expiring key too many replaces the oldest expired one, else the oldest. A login with
 * the key of the user's own session replaces it; clients extend sessions this way. @throws CREDENTIAL_TAKEN
 */
export function openSession(
  { organization: draft, session: opener }: { organization: Draft; session: SessionOpener },
  user: User,
  opened: NewSession,
  field: string,
): Session {
  const { invalidateExisting, ...parameters } = opened
  const { userId } = user
  requireFreeKey(draft, parameters.publicKey, field, userId)
  const former = draft.sessions.find(parameters.publicKey)
  if (former !== undefined) draft.sessions.end(former)
  if (invalidateExisting) endSessions(draft, userId)
  makeRoomForExpiring(draft, user)
  const expiresAtMs = draft.nowMs + parameters.expirationSeconds * 1000n
  const session = { ...parameters, userId, createdAtMs: draft.nowMs, expiresAtMs }
  opener.open(session)
  return session
}

/** Ends all sessions of a user. */
export function endSessions(draft: Draft, userId: string): void {
  for (const session of draft.sessions.of(userId)) draft.sessions.end(session)
}
