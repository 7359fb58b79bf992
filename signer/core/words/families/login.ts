// Words of logins, one-time codes, sessions and their providers.
import type { Told } from "../told.ts"
import type { FamilyWriters } from "../writer.ts"

type Key = { readonly publicKey: string; readonly expirationSeconds?: string | undefined }
type Target = { readonly targetPublicKey: string; readonly expirationSeconds?: string | undefined }
type Code = { readonly contact: string }
type Mail = { readonly email: string }

export const login = {
  stampLoginIntent: (told) => `Log in for a session with key ${session(told)}`,
  initOtpIntent: code,
  initOtpIntentV2: code,
  initOtpIntentV3: code,
  initOtpAuthIntent: code,
  initOtpAuthIntentV2: code,
  initOtpAuthIntentV3: code,
  verifyOtpIntent: (told) => `Verify the code of ${told.say("otpId")}`,
  verifyOtpIntentV2: (told) => `Verify the code of ${told.say("otpId")}`,
  otpLoginIntent: (told) =>
    `Log in by a code for a session with key ${told.ifSet("publicKey", (key) => key) || "of the token"}${seconds(told)}`,
  otpLoginIntentV2: (told) => `Log in by a code for a session with key ${session(told)}`,
  otpAuthIntent: (told) =>
    `Log in by the code of ${told.say("otpId")} for key ${told.ifSet("targetPublicKey", (key) => key) || "of the request"}${seconds(told)}`,
  oauthLoginIntent: (told) => `Log in by OAuth for a session with key ${session(told)}`,
  oauthIntent: (told) => `Log in by OAuth for key ${target(told)}`,
  oauth2AuthenticateIntent: (told) =>
    `Log in at the provider of OAuth 2.0 credential ${told.say("oauth2CredentialId")}`,
  createOauth2CredentialIntent: (told) =>
    `Add a credential of client ${told.say("clientId")} at ${told.say("provider")}`,
  updateOauth2CredentialIntent: (told) =>
    `Change OAuth 2.0 credential ${told.say("oauth2CredentialId")} to client ${told.say("clientId")} at ${told.say("provider")}`,
  deleteOauth2CredentialIntent: (told) => `Delete OAuth 2.0 credential ${told.say("oauth2CredentialId")}`,
  createReadOnlySessionIntent: () => "Create a session that can only read",
  createReadWriteSessionIntent: (told) =>
    `Create a session for ${told.say("email")} with key ${target(told)}`,
  createReadWriteSessionIntentV2: (told) =>
    `Create a session ${told.ifSet("userId", (id) => `of user ${id} `)}with key ${target(told)}`,
  emailAuthIntent: (told) => `${mail(told)} a key to log in with, sealed to ${target(told)}`,
  emailAuthIntentV2: (told) => `${mail(told)} a key to log in with, sealed to ${target(told)}`,
  emailAuthIntentV3: (told) => `${mail(told)} a key to log in with, sealed to ${target(told)}`,
  initUserEmailRecoveryIntent: (told) =>
    `${mail(told)} a key to recover the user with, sealed to ${target(told)}`,
  initUserEmailRecoveryIntentV2: (told) =>
    `${mail(told)} a key to recover the user with, sealed to ${target(told)}`,
} satisfies FamilyWriters

function session(told: Told<Key>): string {
  return `${told.say("publicKey")}${seconds(told)}`
}

function target(told: Told<Target>): string {
  return `${told.say("targetPublicKey")}${seconds(told)}`
}

function seconds(told: Told<{ readonly expirationSeconds?: string | undefined }>): string {
  return told.ifSet("expirationSeconds", (number) => `, for ${number} seconds`)
}

function code(told: Told<Code>): string {
  return `Send a one-time code to ${told.say("contact")}`
}

function mail(told: Told<Mail>): string {
  return `Send to ${told.say("email")}`
}
