import { create } from "@bufbuild/protobuf"
import { type ApiKey, ApiKeySchema, type User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { lasts, takeCredentials } from "./credentials.ts"
import type { OrganizationDraft } from "./draft.ts"
import { makeRoomForExpiring } from "./expiring-keys.ts"
import { MAX_LASTING_API_KEYS } from "./limits.ts"
import { isKeyTaken } from "./taken-keys.ts"
import { touchUser } from "./users.ts"

export type NewApiKey = Pick<ApiKey, "apiKeyId" | "name" | "publicKey" | "type" | "expirationSeconds">

/**
 * Gives a user a key. An eleventh expiring key, sessions included, takes the place of one that has expired, else of
 * the oldest.
 *
 * @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED
 */
export function addApiKey(draft: OrganizationDraft, user: User, key: NewApiKey, field: string): void {
  if (isKeyTaken(draft, key.publicKey)) {
    const sentence = `public key ${key.publicKey} is already a credential of organization ${draft.id}`
    throw refuse("CREDENTIAL_TAKEN", sentence, { field: `${field}.publicKey` })
  }
  const expires = key.expirationSeconds > 0n
  if (expires) makeRoomForExpiring(draft, user)
  else if (user.apiKeys.filter(lasts).length >= MAX_LASTING_API_KEYS) {
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum long-lived api keys", { field })
  }
  const expiresAtMs = expires ? draft.nowMs + key.expirationSeconds * 1000n : 0n
  const times = { createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs }
  user.apiKeys.push(create(ApiKeySchema, { ...key, expiresAtMs, ...times }))
  touchUser(draft, user)
}

/**
 * Takes keys from a user; an id may also be that of a session, which ends.
 *
 * @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL
 */
export function removeApiKeys(
  draft: OrganizationDraft,
  user: User,
  apiKeyIds: readonly string[],
  field: string,
): void {
  const sessions = draft.sessions.of(user.userId)
  apiKeyIds.forEach((apiKeyId, index) => {
    if (user.apiKeys.some((key) => key.apiKeyId === apiKeyId)) return
    if (sessions.some(({ id }) => id === apiKeyId)) return
    const sentence = `unable to find api key ${apiKeyId} of user ${user.userId}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field: `${field}[${index}]` })
  })
  for (const session of sessions) if (apiKeyIds.includes(session.id)) draft.sessions.end(session)
  const staying = user.apiKeys.filter((key) => !apiKeyIds.includes(key.apiKeyId))
  if (staying.length === user.apiKeys.length) return
  takeCredentials(
    user,
    () => {
      user.apiKeys = staying
    },
    field,
  )
  touchUser(draft, user)
}
