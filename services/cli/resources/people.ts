import { readApiKeys } from "./api-keys.ts"
import type { Resource } from "./resource.ts"
import { readRootUsers, readWallet } from "./root-users.ts"

const API_KEY = {
  flag: "api-key",
  about: "API key of the user: a key of the keys folder, or NAME:HEX",
  read: readApiKeys,
}

/** Users, their tags and credentials, and sub-organizations. */
export const people: readonly Resource[] = [
  {
    name: "user",
    about: "users of the organization",
    strip: ["user"],
    kind: "user",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_USERS_V4",
        about: "create a user",
        within: "users",
        argument: "userName",
        options: { apiKeys: API_KEY },
        hasApiKeys: "organization",
        examples: [
          "user create --name alice --email alice@example.com",
          "user create backend --api-key backend --tag treasury",
        ],
      },
      {
        verb: "list",
        query: "list_users",
        member: "users",
        about: "list the users",
        columns: [
          ["name", "userName"],
          ["id", "userId"],
          ["email", "userEmail"],
          [
            "credentials",
            ({ apiKeys, authenticators }) =>
              `${countOf(apiKeys, "key")}, ${countOf(authenticators, "passkey")}`,
          ],
        ],
        examples: ["user list"],
      },
      {
        verb: "show",
        query: "get_user",
        member: "user",
        about: "show a user",
        argument: { member: "userId", kind: "user" },
        examples: ["user show alice"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_USER",
        about: "change a user; tags that are given replace all tags",
        argument: "userId",
        examples: ["user update alice --email alice@example.com"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_USERS",
        about: "delete users",
        argument: "userIds",
        examples: ["user delete carol"],
      },
    ],
  },
  {
    name: "tag",
    about: "tags of users, which policies name",
    strip: ["newUserTag", "userTag", "user"],
    kind: "tag",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_USER_TAG",
        about: "create a tag",
        argument: "userTagName",
        options: { userIds: { flag: "user" } },
        examples: ["tag create treasury --user alice --user bob"],
      },
      {
        verb: "list",
        query: "list_user_tags",
        member: "userTags",
        about: "list the tags",
        columns: [
          ["name", "tagName"],
          ["id", "tagId"],
        ],
        examples: ["tag list"],
      },
      {
        verb: "show",
        query: "list_user_tags",
        member: "",
        about: "show a tag",
        argument: { member: "", kind: "tag" },
        examples: ["tag show treasury"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
        about: "rename a tag, give it to users or take it from them",
        argument: "userTagId",
        examples: ["tag update treasury --add-user carol --remove-user bob"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_USER_TAGS",
        about: "delete tags",
        argument: "userTagIds",
        examples: ["tag delete treasury"],
      },
    ],
  },
  {
    name: "key",
    about: "API keys: files of the keys folder, and credentials of users",
    strip: ["apiKey"],
    kind: "key",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
        about: "give a user API keys",
        argument: "apiKeys",
        options: { apiKeys: { about: "key of the keys folder, or NAME:HEX", read: readApiKeys } },
        hasApiKeys: "organization",
        examples: ["key create laptop --user alice"],
      },
      {
        verb: "list",
        query: "get_api_keys",
        member: "apiKeys",
        about: "list the API keys of a user, or of all",
        columns: [
          ["name", "apiKeyName"],
          ["id", "apiKeyId"],
          ["public key", "credential.publicKey"],
        ],
        options: { userId: {} },
        examples: ["key list --user alice"],
      },
      {
        verb: "show",
        query: "get_api_key",
        member: "apiKey",
        about: "show an API key",
        argument: { member: "apiKeyId", kind: "key" },
        examples: ["key show laptop"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_API_KEYS",
        about: "take API keys from a user",
        argument: "apiKeyIds",
        examples: ["key delete laptop --user alice"],
      },
    ],
  },
  {
    name: "passkey",
    about: "passkeys of users",
    strip: ["authenticator"],
    kind: "passkey",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
        about: "give a user a passkey that a browser registered; the file has its attestation",
        within: "authenticators",
        beside: ["userId"],
        argument: "authenticatorName",
        examples: ["passkey create phone --user alice --file attestation.json"],
      },
      {
        verb: "list",
        query: "get_authenticators",
        member: "authenticators",
        about: "list the passkeys of a user",
        columns: [
          ["name", "authenticatorName"],
          ["id", "authenticatorId"],
          ["model", "model"],
        ],
        options: { userId: {} },
        examples: ["passkey list --user alice"],
      },
      {
        verb: "show",
        query: "get_authenticator",
        member: "authenticator",
        about: "show a passkey",
        argument: { member: "authenticatorId", kind: "passkey" },
        examples: ["passkey show phone"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_AUTHENTICATORS",
        about: "take passkeys from a user",
        argument: "authenticatorIds",
        examples: ["passkey delete phone --user alice"],
      },
    ],
  },
  {
    name: "suborg",
    about: "sub-organizations",
    strip: ["subOrganization", "root"],
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
        about: "create a sub-organization with its own root users",
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
        examples: ["suborg create customer-7 --root-user carol --wallet First,ethereum"],
      },
      {
        verb: "list",
        query: "list_suborgs",
        member: "organizationIds",
        about: "list ids of sub-organizations, by a filter",
        columns: [["id", "value"]],
        options: { filterType: {}, filterValue: {} },
        examples: ["suborg list --filter-type NAME --filter-value customer-7"],
      },
      {
        verb: "show",
        query: "get_organization",
        member: "organizationData",
        about: "show a sub-organization",
        argument: { member: "organizationId", kind: "suborg" },
        examples: ["suborg show customer-7", "suborg show 019b76da"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION",
        about: "delete a sub-organization; its own root users stamp this",
        inOrganization: true,
        examples: ["suborg delete customer-7 --as carol"],
      },
    ],
  },
]

function countOf(list: unknown, noun: string): string {
  const count = Array.isArray(list) ? list.length : 0
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
