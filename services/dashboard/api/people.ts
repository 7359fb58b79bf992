// Users: pages of them from the API, and single ones by id, as often as pages need their names.
import type { Time } from "../../common/activity-json.ts"
import { signal } from "@preact/signals"
import { changes, type Loaded, useQuery } from "./data.ts"
import { query } from "./client.ts"
import { login } from "./login.ts"
import { count } from "../words/time.ts"

export type UserApiKey = {
  apiKeyId: string
  apiKeyName: string
  credential: { publicKey: string; type: string }
  createdAt: Time
  expirationSeconds?: string
}
export type UserAuthenticator = {
  authenticatorId: string
  authenticatorName: string
  model: string
  createdAt: Time
}
export type MfaMethod = { type: string; id?: string }
export type MfaPolicy = {
  mfaPolicyId: string
  mfaPolicyName: string
  condition: string
  requiredAuthenticationMethods: { any: MfaMethod[] }[]
  order?: number
  notes?: string
}
export type User = {
  userId: string
  userName: string
  userEmail?: string
  userPhoneNumber?: string
  apiKeys: UserApiKey[]
  authenticators: UserAuthenticator[]
  oauthProviders: { providerId: string; providerName: string; issuer: string }[]
  mfaPolicies: MfaPolicy[]
  userTags: string[]
  createdAt: Time
}

type UserPage = { users: User[]; pageInfo: { hasNextPage?: boolean } }

type UserFilter = {
  search?: string
  userTagId?: string
  paginationOptions: { limit: string; after?: string }
}

/** A page of users that fit a filter. */
export function useUsers({ search = "", userTagId = "", paginationOptions }: UserFilter): Loaded<UserPage> {
  return useQuery<UserPage>("list_users", {
    ...(search.trim() !== "" && { search: search.trim() }),
    ...(userTagId !== "" && { userTagId }),
    paginationOptions,
  })
}

/** Users that were asked for by id, and the change after which they were read; `user` undefined: there is none. */
type Known = ReadonlyMap<string, { user: User | undefined; version: number }>

const known = signal<Known>(new Map())
const wanted = new Set<string>()
let organizationId = ""

/** Maximum of ids in one request. */
const BATCH = 100

/** The user with an id; undefined: there is none, or they are being asked for, and the reader is drawn again. */
export function userOf(id: string): User | undefined {
  const found = known.value.get(id)
  if (found === undefined || found.version !== changes.value) want(id)
  return found?.user
}

/** The users with these ids, once all of them are known. */
export function usersOf(ids: readonly string[]): User[] | undefined {
  const users = ids.map(userOf)
  return ids.every((id) => known.value.has(id)) ? users.filter((user) => user !== undefined) : undefined
}

/** Users who are wanted by several parts of a page are asked for together. */
function want(id: string): void {
  if (wanted.size === 0) setTimeout(() => void read())
  wanted.add(id)
}

async function read(): Promise<void> {
  const version = changes.value
  const ids = [...wanted]
  wanted.clear()
  if (login.value?.organizationId !== organizationId) {
    organizationId = login.value?.organizationId ?? ""
    known.value = new Map()
  }
  for (let from = 0; from < ids.length; from += BATCH) {
    const userIds = ids.slice(from, from + BATCH)
    try {
      const { users } = await query<{ users: User[] }>("list_users", { userIds })
      const byId = new Map(users.map((user) => [user.userId, user]))
      const entries = userIds.map((id) => [id, { user: byId.get(id), version }] as const)
      known.value = new Map([...known.value, ...entries])
    } catch {
      // The pages show ids in place of names, and the lists beside them say what is wrong.
    }
  }
}

/** A user's credentials by kind, as "2 keys, 1 login". */
export function credentialWords({ authenticators, apiKeys, oauthProviders }: User): string {
  const numbers = [
    [authenticators.length, "passkey"],
    [apiKeys.length, "key"],
    [oauthProviders.length, "login"],
  ] as const
  const words = numbers.filter(([number]) => number > 0).map(([number, noun]) => count(number, noun))
  return words.join(", ") || "none"
}
