// Operations on organizations, users, tags and features outside the document, as published clients know them.
import { FEATURE_NAME, FEATURE_NAME_BEYOND } from "./enums.ts"
import { type Fields, list, number, oneOf, record, silentRequired, string } from "./field.ts"
import { tag } from "./key-operations.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"
import { apiKey } from "./resources.ts"

export const feature: Fields = {
  name: silentRequired(oneOf(FEATURE_NAME, FEATURE_NAME_BEYOND)),
  value: silentRequired(string),
}

export const quorum: Fields = { threshold: silentRequired(number), userIds: silentRequired(list(string)) }

export const userReplies: readonly Reply[] = [
  reply("DELETE_SUB_ORGANIZATION", "", "deleteSubOrganization", {
    subOrganizationUuid: silentRequired(string),
  }),
  reply("CREATE_USERS", "V2", "createUsers", { userIds: silentRequired(list(string)) }),
  reply("CREATE_API_ONLY_USERS", "", "createApiOnlyUsers", { userIds: silentRequired(list(string)) }),
  reply("UPDATE_USER", "", "updateUser", { userId: silentRequired(string) }),
  reply("UPDATE_USER_NAME", "", "updateUserName", { userId: silentRequired(string) }),
  reply("UPDATE_USER_EMAIL", "", "updateUserEmail", { userId: silentRequired(string) }),
  reply("UPDATE_USER_PHONE_NUMBER", "", "updateUserPhoneNumber", { userId: silentRequired(string) }),
  reply("DELETE_USERS", "", "deleteUsers", { userIds: silentRequired(list(string)) }),
  reply("CREATE_USER_TAG", "", "createUserTag", {
    userTagId: silentRequired(string),
    userIds: silentRequired(list(string)),
  }),
  reply("UPDATE_USER_TAG", "", "updateUserTag", { userTagId: silentRequired(string) }),
  reply("CREATE_INVITATIONS", "", "createInvitations", { invitationIds: silentRequired(list(string)) }),
  reply("DELETE_INVITATION", "", "deleteInvitation", { invitationId: silentRequired(string) }),
  reply("REMOVE_ORGANIZATION_FEATURE", "", "removeOrganizationFeature", {
    features: silentRequired(list(record(feature))),
  }),
  reply("UPDATE_ORGANIZATION_NAME", "", "updateOrganizationName", {
    organizationId: silentRequired(string),
    organizationName: silentRequired(string),
  }),
]

export const userQueries: readonly QueryOperation[] = [
  {
    path: "list_user_tags",
    body: { organizationId: silentRequired(string) },
    reply: { userTags: silentRequired(list(record(tag))) },
  },
  {
    path: "get_api_key",
    body: { organizationId: silentRequired(string), apiKeyId: silentRequired(string) },
    reply: { apiKey: silentRequired(record(apiKey)) },
  },
  {
    path: "get_organization_document",
    body: { organizationId: silentRequired(string) },
    reply: { version: silentRequired(string), notarizedDocumentB64: silentRequired(string) },
  },
  {
    path: "get_organization_configs",
    body: { organizationId: silentRequired(string) },
    reply: {
      configs: silentRequired(
        record({ features: silentRequired(list(record(feature))), quorum: silentRequired(record(quorum)) }),
      ),
    },
  },
]
