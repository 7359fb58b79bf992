import { userParams, valueOf } from "../harness/api-client.ts"
import { newKey } from "../harness/stamper.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

type Make = (actors: Actors) => Promise<Omit<ReplayCase, "type">>

/** Users, their tags, and what the root quorum sets for the organization. */
export const userReplayCases: { [type: string]: Make } = {
  CREATE_USERS_V2: async () => ({ ...pair(oldUser), harm: "a second user with the same key" }),
  CREATE_API_ONLY_USERS: async () => ({
    ...pair((name) => ({
      apiOnlyUsers: oldUser(name).users.map(({ userName, userTags, apiKeys }) => ({
        userName,
        userTags,
        apiKeys,
      })),
    })),
    harm: "a second user with the same key",
  }),
  UPDATE_USER: async ({ alice: { userId } }) => ({
    ...pair((name) => ({ userId, userName: name, userEmail: `${name}@example.com` })),
    harm: "an e-mail address that was given up gets codes again",
  }),
  UPDATE_USER_NAME: async ({ alice: { userId } }) => ({
    ...pair((userName) => ({ userId, userName })),
    harm: "a user has a replaced name again",
  }),
  UPDATE_USER_EMAIL: async ({ alice: { userId } }) => ({
    ...pair((name) => ({ userId, userEmail: `${name}@example.com` })),
    harm: "an e-mail address that was given up gets codes again",
  }),
  UPDATE_USER_PHONE_NUMBER: async ({ alice: { userId } }) => ({
    first: { userId, userPhoneNumber: "+15551234567" },
    second: { userId, userPhoneNumber: "" },
    harm: "a number that was given up gets codes again",
  }),
  DELETE_USERS: async (actors) => {
    const [dora, emil] = await createUsers(actors)
    return { first: { userIds: [dora] }, second: { userIds: [emil] }, harm: "a user is deleted twice" }
  },
  CREATE_USER_TAG: async ({ alice: { userId } }) => ({
    ...pair((userTagName) => ({ userTagName, userIds: [userId] })),
    harm: "a second tag for one authorization",
  }),
  UPDATE_USER_TAG: async (actors) => {
    const { userId } = actors.alice
    const userTagId = await createTag(actors, "staff")
    return {
      first: { userTagId, addUserIds: [userId], removeUserIds: [] },
      second: { userTagId, addUserIds: [], removeUserIds: [userId] },
      harm: "a user has a removed tag again",
    }
  },
  DELETE_USER_TAGS: async (actors) => ({
    first: { userTagIds: [await createTag(actors, "one")] },
    second: { userTagIds: [await createTag(actors, "two")] },
    harm: "a tag is deleted twice",
  }),
  SET_ORGANIZATION_FEATURE: async () => ({
    ...pair((name) => ({ name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: `https://${name}.example` })),
    harm: "passkeys of an origin that was given up are taken again",
  }),
  REMOVE_ORGANIZATION_FEATURE: async ({ fixture, acme }) => {
    const origins = { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://app.example" }
    const type = "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE"
    await fixture.client.submit(acme.root, type, acme.organizationId, origins)
    return {
      first: { name: origins.name },
      second: { name: "FEATURE_NAME_STRICT_DENY" },
      harm: "what was set again since is off again",
    }
  },
  ENABLE_AUTH_PROXY: async () => ({
    first: {},
    second: {},
    harm: "a proxy that was disabled meanwhile is enabled again",
  }),
  DISABLE_AUTH_PROXY: async () => ({
    first: {},
    second: {},
    harm: "the settings of a proxy that was enabled again are deleted",
  }),
  UPDATE_AUTH_PROXY_CONFIG: async ({ fixture }) => {
    await asRoot(fixture).submit("ENABLE_AUTH_PROXY", {})
    return {
      ...pair((name) => ({ allowedOrigins: [`https://${name}.example`] })),
      harm: "pages of an origin that was given up may call again",
    }
  },
  UPDATE_ORGANIZATION_NAME: async () => ({
    ...pair((organizationName) => ({ organizationName })),
    harm: "the organization bears an old name",
  }),
}

export function pair<T>(make: (name: string) => T): { first: T; second: T } {
  return { first: make("dora"), second: make("emil") }
}

/** A user in the first form of API keys, which knew P-256 only. */
function oldUser(userName: string) {
  const apiKeys = [{ apiKeyName: "first form", publicKey: newKey().publicKeyHex }]
  return { users: [{ userName, apiKeys, authenticators: [], userTags: [] }] }
}

async function createUsers({ fixture: { client }, acme }: Actors): Promise<string[]> {
  const users = ["dora", "emil"].map((name) => userParams(name, newKey()))
  const type = "ACTIVITY_TYPE_CREATE_USERS_V4"
  const made = await client.submit(acme.root, type, acme.organizationId, { users })
  return valueOf(made, "createUsersResult").userIds
}

async function createTag({ fixture: { client }, acme }: Actors, userTagName: string): Promise<string> {
  const type = "ACTIVITY_TYPE_CREATE_USER_TAG"
  const made = await client.submit(acme.root, type, acme.organizationId, { userTagName, userIds: [] })
  return valueOf(made, "createUserTagResult").userTagId
}
