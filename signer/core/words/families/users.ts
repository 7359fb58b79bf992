// Words of users, tags, invitations and their credentials.
import type { Told } from "../told.ts"
import type { FamilyWriters } from "../writer.ts"

type NewUser = { readonly userName: string; readonly userEmail?: string | undefined }
type Tokens = { readonly verificationToken?: string | undefined }

export const users = {
  createUsersIntentV2: createUsers,
  createUsersIntentV3: createUsers,
  createUsersIntentV4: createUsers,
  createApiOnlyUsersIntent: (told) =>
    `Create users ${told.list("apiOnlyUsers", newUser)}, with API keys alone`,
  updateUserIntent: (told) =>
    `Change user ${told.say("userId")}${told.ifSet("userName", (name) => `: name ${name}`)}${told.ifSet("userEmail", (email) => `, e-mail address ${email}`)}${told.ifSet("userPhoneNumber", (phone) => `, phone number ${phone}`)}${told.ifSet("userTagIds", (tags) => `, tags ${tags}`)}`,
  updateUserNameIntent: (told) => `Name user ${told.say("userId")} ${told.say("userName")}`,
  updateUserEmailIntent: (told) =>
    `${contact(told.raw.userEmail, "e-mail address")} of user ${told.say("userId")}${to(told, "userEmail")}${proven(told)}`,
  updateUserPhoneNumberIntent: (told) =>
    `${contact(told.raw.userPhoneNumber, "phone number")} of user ${told.say("userId")}${to(told, "userPhoneNumber")}${proven(told)}`,
  deleteUsersIntent: (told) => `Delete users ${told.say("userIds")}`,
  createUserTagIntent: (told) => `Create tag ${told.say("userTagName")} for users ${told.say("userIds")}`,
  updateUserTagIntent: (told) =>
    `Change tag ${told.say("userTagId")}: name ${told.ifSet("newUserTagName", (name) => name) || "unchanged"}, add ${told.say("addUserIds")}, remove ${told.say("removeUserIds")}`,
  deleteUserTagsIntent: (told) => `Delete tags ${told.say("userTagIds")}`,
  createInvitationsIntent: (told) =>
    `Invite ${told.list("invitations", (one) => `${one.say("receiverUserName")} at ${one.say("receiverUserEmail")} (${one.say("accessType")})`)}`,
  deleteInvitationIntent: (told) => `Delete invitation ${told.say("invitationId")}`,
  createApiKeysIntent: createApiKeys,
  createApiKeysIntentV2: createApiKeys,
  deleteApiKeysIntent: (told) => `Delete API keys ${told.say("apiKeyIds")} of user ${told.say("userId")}`,
  createAuthenticatorsIntentV2: (told) =>
    `Add passkeys ${told.list("authenticators", (one) => one.say("authenticatorName"))} to user ${told.say("userId")}`,
  deleteAuthenticatorsIntent: (told) =>
    `Delete passkeys ${told.say("authenticatorIds")} of user ${told.say("userId")}`,
  createOauthProvidersIntent: createLogins,
  createOauthProvidersIntentV2: createLogins,
  deleteOauthProvidersIntent: (told) =>
    `Delete OAuth logins ${told.say("providerIds")} of user ${told.say("userId")}`,
  recoverUserIntent: (told) => `Recover user ${told.say("userId")} with a new passkey`,
} satisfies FamilyWriters

function createUsers(told: Told<{ readonly users: readonly NewUser[] }>): string {
  return `Create users ${told.list("users", newUser)}`
}

/** "alice" (alice@example.com). */
export function newUser(user: Told<NewUser>): string {
  return `${user.say("userName")}${user.ifSet("userEmail", (email) => ` (${email})`)}`
}

type NewApiKey = { readonly apiKeyName: string; readonly publicKey: string }

function createApiKeys(
  told: Told<{ readonly apiKeys: readonly NewApiKey[]; readonly userId: string }>,
): string {
  const keys = told.list("apiKeys", (key) => `${key.say("apiKeyName")} (${key.say("publicKey")})`)
  return `Add API keys ${keys} to user ${told.say("userId")}`
}

type NewLogin = { readonly providerName: string }

function createLogins(
  told: Told<{ readonly oauthProviders: readonly NewLogin[]; readonly userId: string }>,
): string {
  return `Add OAuth logins ${told.list("oauthProviders", (one) => one.say("providerName"))} to user ${told.say("userId")}`
}

function contact(value: string, noun: string): string {
  return value === "" ? `Remove the ${noun}` : `Set the ${noun}`
}

function to<Member extends "userEmail" | "userPhoneNumber">(
  told: Told<{ readonly [member in Member]: string }>,
  member: Member,
): string {
  const value = told.say(member as never)
  return told.raw[member] === "" ? "" : ` to ${value}`
}

function proven(told: Told<Tokens>): string {
  return told.has("verificationToken") ? ", proven by a code" : ""
}
