import type { MessageInitShape } from "@bufbuild/protobuf"
import { UserSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { notFound } from "../errors.ts"
import type { Database } from "../../database/database.ts"
import { listSessions, readSession } from "../store/sessions.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { apiKeyResource, authenticatorResource, oauthProviderResource, sessionApiKey } from "./credential.ts"
import { jsonText } from "./json-text.ts"
import { mfaPoliciesOf, mfaPolicyResource } from "./policy.ts"
import { timestamps } from "./time.ts"

/** @throws ApiError 404 */
export function requireUser(organization: StoredOrganization, userId: string): User {
  const user = organization.user(userId.toLowerCase())
  if (user === undefined) throw notFound(`unable to find user ${userId} in organization ${organization.id}`)
  return user
}

/** A user; a deleted user is shown by id only. */
export function userResource(user: User | undefined, userId: string): MessageInitShape<typeof UserSchema> {
  return {
    userId,
    userName: user?.name ?? "",
    ...(user?.email ? { userEmail: user.email } : {}),
    ...(user?.phoneNumber ? { userPhoneNumber: user.phoneNumber } : {}),
    authenticators: (user?.authenticators ?? []).map(authenticatorResource),
    apiKeys: (user?.apiKeys ?? []).map(apiKeyResource),
    userTags: user?.tagIds ?? [],
    oauthProviders: (user?.oauthProviders ?? []).map(oauthProviderResource),
    mfaPolicies: user === undefined ? [] : mfaPoliciesOf(user).map(mfaPolicyResource),
    ...timestamps(user ?? { createdAtMs: 0n, updatedAtMs: 0n }),
  }
}

/** JSON texts of users by id, for each version of an organization. */
const texts = new WeakMap<StoredOrganization, Map<string, string>>()

/** A user without sessions as JSON, written once for each version of the organization: every vote shows one. */
export function userText(organization: StoredOrganization, userId: string): string {
  let known = texts.get(organization)
  if (known === undefined) texts.set(organization, (known = new Map()))
  let text = known.get(userId)
  if (text === undefined)
    known.set(userId, (text = jsonText(UserSchema, userResource(organization.user(userId), userId))))
  return text
}

type SessionContext = { sql: Database; organization: StoredOrganization; nowMs: number }

/** Maximum of users whose sessions are looked up by user id; for more users, all sessions are read. */
const MAX_LOOKED_UP = 100

/** Users with their sessions among their API keys. A user without sessions is the same object as before. */
export async function withSessions(
  users: readonly User[],
  { sql, organization, nowMs }: SessionContext,
): Promise<readonly User[]> {
  if (users.length === 0) return []
  const userIds = users.length > MAX_LOOKED_UP ? undefined : users.map(({ userId }) => userId)
  const sessions = (await listSessions(sql, organization.id, { nowMs, userIds })).map(readSession)
  const ofUser = Map.groupBy(sessions, (session) => session.userId)
  return users.map((user) => {
    const keys = ofUser.get(user.userId)?.map(sessionApiKey)
    return keys === undefined ? user : { ...user, apiKeys: [...user.apiKeys, ...keys] }
  })
}

/** Users with their sessions, as JSON. */
export async function userTexts(users: readonly User[], context: SessionContext): Promise<string[]> {
  const { organization } = context
  return (await withSessions(users, context)).map((user) =>
    user === organization.user(user.userId)
      ? userText(organization, user.userId)
      : jsonText(UserSchema, userResource(user, user.userId)),
  )
}
