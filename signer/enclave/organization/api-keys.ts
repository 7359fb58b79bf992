import { create } from "@bufbuild/protobuf"
import { type ApiKey, ApiKeySchema, type User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireIds } from "./checks.ts"
import { isLasting, makeRoomForExpiring, removeCredentials, requireFreeKey } from "./credentials.ts"
import type { Draft } from "./draft.ts"
import { MAX_LASTING_API_KEYS } from "./limits.ts"

export type NewApiKey = Pick<ApiKey, "apiKeyId" | "name" | "publicKey" | "type" | "expirationSeconds">

/**
 * Adds an API key to a user. An eleventh expiring key, sessions included, replaces the oldest expired one, else the
 * oldest. @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED
 */
export function addApiKey(draft: Draft, user: User, key: NewApiKey, field: string): void {
  requireFreeKey(draft, key.publicKey, `${field}.publicKey`)
  const expires = key.expirationSeconds > 0n
  if (expires) makeRoomForExpiring(draft, user)
  else if (user.apiKeys.filter(isLasting).length >= MAX_LASTING_API_KEYS) {
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum long-lived api keys", { field })
  }
  const expiresAtMs = expires ? draft.nowMs + key.expirationSeconds * 1000n : 0n
  user.apiKeys.push(create(ApiKeySchema, { ...key, expiresAtMs, ...draft.created }))
  draft.touch(user)
}

/** Removes API keys; an id may also be that of a session, which ends. @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeApiKeys(draft: Draft, user: User, apiKeyIds: readonly string[], field: string): void {
  const sessions = draft.sessions.of(user.userId)
  const known = [...user.apiKeys.map(({ apiKeyId }) => apiKeyId), ...sessions.map(({ id }) => id)]
  requireIds(apiKeyIds, known, (id) => `unable to find api key ${id} of user ${user.userId}`, field)
  for (const session of sessions) if (apiKeyIds.includes(session.id)) draft.sessions.end(session)
  const apiKeys = user.apiKeys.filter((key) => !apiKeyIds.includes(key.apiKeyId))
  if (apiKeys.length < user.apiKeys.length) removeCredentials(draft, user, { apiKeys }, field)
}
