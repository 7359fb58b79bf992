// Words of users, tags, invitations and their credentials.
import type { MemberPhrases } from "../../words/member-phrases.ts"
import { type NamedUser, newUser } from "../../words/new-user.ts"
import { someOrNo } from "../../words/text.ts"
import type { FamilyWriters } from "../../words/writer.ts"

type Tokens = { readonly verificationToken?: string | undefined }

export const writers = {
  createUsersIntentV2: createUsers,
  createUsersIntentV3: createUsers,
  createUsersIntentV4: createUsers,
  createApiOnlyUsersIntent: (members) =>
    `Create users ${members.list("apiOnlyUsers", newUser)}, with API keys alone`,
  updateUserIntent: (members) =>
    `Change user ${members.say("userId")}${members.ifSet("userName", (name) => `: name ${name}`)}${members.ifSet("userEmail", (email) => `, e-mail address ${email}`)}${members.ifSet("userPhoneNumber", (phone) => `, phone number ${phone}`)}${members.ifSet("userTagIds", (tags) => `, tags ${tags}`)}`,
  updateUserNameIntent: (members) => `Name user ${members.say("userId")} ${members.say("userName")}`,
  updateUserEmailIntent: (members) =>
    `${contact(members.raw.userEmail, "e-mail address")} of user ${members.say("userId")}${to(members, "userEmail")}${proven(members)}`,
  updateUserPhoneNumberIntent: (members) =>
    `${contact(members.raw.userPhoneNumber, "phone number")} of user ${members.say("userId")}${to(members, "userPhoneNumber")}${proven(members)}`,
  deleteUsersIntent: (members) => `Delete users ${members.say("userIds")}`,
  createUserTagIntent: (members) =>
    `Create tag ${members.say("userTagName")} for ${someOrNo("users", members.raw.userIds, members.say("userIds"))}`,
  updateUserTagIntent: (members) =>
    `Change tag ${members.say("userTagId")}: name ${members.ifSet("newUserTagName", (name) => name) || "unchanged"}, add ${members.say("addUserIds")}, remove ${members.say("removeUserIds")}`,
  deleteUserTagsIntent: (members) => `Delete tags ${members.say("userTagIds")}`,
  createInvitationsIntent: (members) =>
    `Invite ${members.list("invitations", (one) => `${one.say("receiverUserName")} at ${one.say("receiverUserEmail")} (${one.say("accessType")})`)}`,
  deleteInvitationIntent: (members) => `Delete invitation ${members.say("invitationId")}`,
  createApiKeysIntent: createApiKeys,
  createApiKeysIntentV2: createApiKeys,
  deleteApiKeysIntent: (members) =>
    `Delete API keys ${members.say("apiKeyIds")} of user ${members.say("userId")}`,
  createAuthenticatorsIntentV2: (members) =>
    `Add passkeys ${members.list("authenticators", (one) => one.say("authenticatorName"))} to user ${members.say("userId")}`,
  deleteAuthenticatorsIntent: (members) =>
    `Delete passkeys ${members.say("authenticatorIds")} of user ${members.say("userId")}`,
  createOauthProvidersIntent: createLogins,
  createOauthProvidersIntentV2: createLogins,
  deleteOauthProvidersIntent: (members) =>
    `Delete OAuth logins ${members.say("providerIds")} of user ${members.say("userId")}`,
} satisfies FamilyWriters

function createUsers(members: MemberPhrases<{ readonly users: readonly NamedUser[] }>): string {
  return `Create users ${members.list("users", newUser)}`
}

type NewApiKey = { readonly apiKeyName: string; readonly publicKey: string }

function createApiKeys(
  members: MemberPhrases<{ readonly apiKeys: readonly NewApiKey[]; readonly userId: string }>,
): string {
  const keys = members.list("apiKeys", (key) => `${key.say("apiKeyName")} (${key.say("publicKey")})`)
  return `Add API keys ${keys} to user ${members.say("userId")}`
}

type NewLogin = { readonly providerName: string }

function createLogins(
  members: MemberPhrases<{ readonly oauthProviders: readonly NewLogin[]; readonly userId: string }>,
): string {
  return `Add OAuth logins ${members.list("oauthProviders", (one) => one.say("providerName"))} to user ${members.say("userId")}`
}

function contact(value: string, noun: string): string {
  return value === "" ? `Remove the ${noun}` : `Set the ${noun}`
}

function to<Member extends "userEmail" | "userPhoneNumber">(
  members: MemberPhrases<{ readonly [member in Member]: string }>,
  member: Member,
): string {
  const value = members.say(member as never)
  return members.raw[member] === "" ? "" : ` to ${value}`
}

function proven(members: MemberPhrases<Tokens>): string {
  return members.has("verificationToken") ? ", proven by a code" : ""
}
