import { create } from "@bufbuild/protobuf"
import { UserSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { ApiKeySchema, type User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { jsonText } from "./json-text.ts"
import { type ShownApiKey, userResource } from "./resources.ts"
import { readSession, type Session } from "../authentication/session-store.ts"
import { listSessions } from "../store/sessions.ts"
import type { QueryContext } from "../queries/shared/query.ts"

type Context = Pick<QueryContext, "sql" | "organization" | "nowMs">

/** The interface shows sessions among the API keys of their users. Who has none stays the very object he was. */
export async function withSessions(
  users: readonly User[],
  { sql, organization, nowMs }: Context,
): Promise<readonly User[]> {
  const [only, another] = users
  const userId = another === undefined ? only?.userId : undefined
  const sessions = (await listSessions(sql, organization.id, { nowMs, userId })).map(readSession)
  const ofUser = Map.groupBy(sessions, (session) => session.userId)
  return users.map((user) => {
    const keys = ofUser.get(user.userId)?.map(apiKeyOf)
    return keys === undefined ? user : { ...user, apiKeys: [...user.apiKeys, ...keys] }
  })
}

/** Users as JSON, those without sessions from the text that is there already. */
export async function userTexts(users: readonly User[], context: Context): Promise<string[]> {
  const { organization } = context
  return (await withSessions(users, context)).map((user) =>
    user === organization.user(user.userId)
      ? organization.userText(user.userId)
      : jsonText(UserSchema, userResource(user, user.userId)),
  )
}

function apiKeyOf({ id, ...session }: Session): ShownApiKey {
  const { name, publicKey, type, expiresAtMs, expirationSeconds, createdAtMs, scope } = session
  const key = create(ApiKeySchema, {
    apiKeyId: id,
    name,
    publicKey,
    type,
    expiresAtMs,
    expirationSeconds,
    createdAtMs,
    updatedAtMs: createdAtMs,
  })
  return scope === undefined ? key : { ...key, sessionProfileId: scope.sessionProfileId }
}
