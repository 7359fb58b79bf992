import { counted } from "../../../signer/core/counted.ts"
import { readApiKeys } from "./api-keys.ts"
import { change, list, type Resource, show } from "./resource.ts"
import { readRootUsers, readWallet } from "./root-users.ts"

const API_KEY = {
  flag: "api-key",
  about: "API key of the user: a key of the keys folder, or NAME:HEX",
  read: readApiKeys,
}

const users: Resource = {
  name: "user",
  about: "users of the organization",
  strip: ["user"],
  kind: "user",
  commands: [
    change(
      "create",
      "CREATE_USERS_V4",
      "create a user",
      [
        "user create --name alice --email alice@example.com",
        "user create backend --api-key backend --tag treasury",
      ],
      { within: "users", argument: "userName", options: { apiKeys: API_KEY }, hasApiKeys: "organization" },
    ),
    list("list_users users", "list the users", "user list", {
      name: "userName",
      id: "userId",
      email: "userEmail",
      credentials: (user) =>
        `${countOf(user["apiKeys"], "key")}, ${countOf(user["authenticators"], "passkey")}`,
    }),
    show("get_user user", "show a user", ["user show alice"]),
    change("update", "UPDATE_USER", "change a user; tags that are given replace all tags", [
      "user update alice --email alice@example.com",
    ]),
    change("delete", "DELETE_USERS", "delete users", ["user delete carol"]),
  ],
}

const tags: Resource = {
  name: "tag",
  about: "tags of users, which policies name",
  strip: ["newUserTag", "userTag", "user"],
  kind: "tag",
  commands: [
    change("create", "CREATE_USER_TAG", "create a tag", ["tag create treasury --user alice --user bob"], {
      argument: "userTagName",
      options: { userIds: { flag: "user" } },
    }),
    list("list_user_tags userTags", "list the tags", "tag list", { name: "tagName", id: "tagId" }),
    show("list_user_tags", "show a tag", ["tag show treasury"]),
    change("update", "UPDATE_USER_TAG", "rename a tag, give it to users or take it from them", [
      "tag update treasury --add-user carol --remove-user bob",
    ]),
    change("delete", "DELETE_USER_TAGS", "delete tags", ["tag delete treasury"]),
  ],
}

const keys: Resource = {
  name: "key",
  about: "API keys: files of the keys folder, and credentials of users",
  strip: ["apiKey"],
  kind: "key",
  commands: [
    change("create", "CREATE_API_KEYS_V2", "give a user API keys", ["key create laptop --user alice"], {
      argument: "apiKeys",
      options: { apiKeys: { about: "key of the keys folder, or NAME:HEX", read: readApiKeys } },
      hasApiKeys: "organization",
    }),
    list(
      "get_api_keys apiKeys",
      "list the API keys of a user, or of all",
      "key list --user alice",
      { name: "apiKeyName", id: "apiKeyId", "public key": "credential.publicKey" },
      { userId: {} },
    ),
    show("get_api_key apiKey", "show an API key", ["key show laptop"]),
    change("delete", "DELETE_API_KEYS", "take API keys from a user", ["key delete laptop --user alice"]),
  ],
}

const passkeys: Resource = {
  name: "passkey",
  about: "passkeys of users",
  strip: ["authenticator"],
  kind: "passkey",
  commands: [
    change(
      "create",
      "CREATE_AUTHENTICATORS_V2",
      "give a user a passkey that a browser registered; the file has its attestation",
      ["passkey create phone --user alice --file attestation.json"],
      { within: "authenticators", beside: ["userId"], argument: "authenticatorName" },
    ),
    list(
      "get_authenticators authenticators",
      "list the passkeys of a user",
      "passkey list --user alice",
      { name: "authenticatorName", id: "authenticatorId", model: "model" },
      { userId: {} },
    ),
    show("get_authenticator authenticator", "show a passkey", ["passkey show phone"]),
    change("delete", "DELETE_AUTHENTICATORS", "take passkeys from a user", [
      "passkey delete phone --user alice",
    ]),
  ],
}

const subOrganizations: Resource = {
  name: "suborg",
  about: "sub-organizations",
  strip: ["subOrganization", "root"],
  commands: [
    change(
      "create",
      "CREATE_SUB_ORGANIZATION_V8",
      "create a sub-organization with its own root users",
      ["suborg create customer-7 --root-user carol --wallet First,ethereum"],
      {
        argument: "subOrganizationName",
        options: {
          rootUsers: {
            flag: "root-user",
            about: "root user with an API key: a key of the keys folder, or NAME:HEX",
            read: readRootUsers,
          },
          rootQuorumThreshold: { flag: "threshold", about: "votes that the root quorum needs; by default 1" },
          wallet: {
            flag: "wallet",
            about: "first wallet and its accounts: NAME,ethereum,solana",
            read: readWallet,
          },
        },
        defaults: { rootQuorumThreshold: 1 },
        omit: ["verificationToken"],
        hasApiKeys: "subOrganizationId",
      },
    ),
    list(
      "list_suborgs organizationIds",
      "list ids of sub-organizations, by a filter",
      "suborg list --filter-type NAME --filter-value customer-7",
      { id: "value" },
      { filterType: {}, filterValue: {} },
    ),
    show(
      "get_organization organizationData",
      "show a sub-organization",
      ["suborg show customer-7", "suborg show 019b76da"],
      { argument: "suborg" },
    ),
    change(
      "delete",
      "DELETE_SUB_ORGANIZATION",
      "delete a sub-organization; its own root users stamp this",
      ["suborg delete customer-7 --as carol"],
      { inOrganization: true },
    ),
  ],
}

/** Users, their tags and credentials, and sub-organizations. */
export const people: readonly Resource[] = [users, tags, keys, passkeys, subOrganizations]

function countOf(things: unknown, noun: string): string {
  const count = Array.isArray(things) ? things.length : 0
  return counted(count, noun)
}
