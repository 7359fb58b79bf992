// Words of logins, one-time codes, sessions and their providers, MFA policies and mail templates.
import type { MemberPhrases } from "../../words/member-phrases.ts"
import type { FamilyWriters } from "../../words/writer.ts"

type Key = { readonly publicKey: string; readonly expirationSeconds?: string | undefined }
type Target = { readonly targetPublicKey: string; readonly expirationSeconds?: string | undefined }
type Code = { readonly contact: string }
type Mail = { readonly email: string }

type MfaPolicy = {
  readonly mfaPolicyName?: string | undefined
  readonly userId: string
  readonly condition?: string | undefined
}

export const writers = {
  stampLoginIntent: (members) => `Log in for a session with key ${session(members)}`,
  initOtpIntent: code,
  initOtpIntentV2: code,
  initOtpIntentV3: code,
  initOtpAuthIntent: code,
  initOtpAuthIntentV2: code,
  initOtpAuthIntentV3: code,
  verifyOtpIntent: (members) => `Verify the code of ${members.say("otpId")}`,
  verifyOtpIntentV2: (members) => `Verify the code of ${members.say("otpId")}`,
  otpLoginIntent: (members) =>
    `Log in by a code for a session with key ${members.ifSet("publicKey", (key) => key) || "of the token"}${seconds(members)}`,
  otpLoginIntentV2: (members) => `Log in by a code for a session with key ${session(members)}`,
  otpAuthIntent: (members) =>
    `Log in by the code of ${members.say("otpId")} for key ${members.ifSet("targetPublicKey", (key) => key) || "of the request"}${seconds(members)}`,
  oauthLoginIntent: (members) => `Log in by OAuth for a session with key ${session(members)}`,
  oauthIntent: (members) => `Log in by OAuth for key ${target(members)}`,
  oauth2AuthenticateIntent: (members) =>
    `Log in at the provider of OAuth 2.0 credential ${members.say("oauth2CredentialId")}`,
  createOauth2CredentialIntent: (members) =>
    `Add a credential of client ${members.say("clientId")} at ${members.say("provider")}`,
  updateOauth2CredentialIntent: (members) =>
    `Change OAuth 2.0 credential ${members.say("oauth2CredentialId")} to client ${members.say("clientId")} at ${members.say("provider")}`,
  deleteOauth2CredentialIntent: (members) =>
    `Delete OAuth 2.0 credential ${members.say("oauth2CredentialId")}`,
  createReadOnlySessionIntent: () => "Create a session that can only read",
  createReadWriteSessionIntent: (members) =>
    `Create a session for ${members.say("email")} with key ${target(members)}`,
  createReadWriteSessionIntentV2: (members) =>
    `Create a session ${members.ifSet("userId", (id) => `of user ${id} `)}with key ${target(members)}`,
  emailAuthIntent: (members) => `${mail(members)} a key to log in with, sealed to ${target(members)}`,
  emailAuthIntentV2: (members) => `${mail(members)} a key to log in with, sealed to ${target(members)}`,
  emailAuthIntentV3: (members) => `${mail(members)} a key to log in with, sealed to ${target(members)}`,
  initUserEmailRecoveryIntent: (members) =>
    `${mail(members)} a key to recover the user with, sealed to ${target(members)}`,
  initUserEmailRecoveryIntentV2: (members) =>
    `${mail(members)} a key to recover the user with, sealed to ${target(members)}`,
  createMfaPolicyIntent: (members) => `Create MFA policy ${mfaPolicy(members)}`,
  updateMfaPolicyIntent: (members) =>
    `Change MFA policy ${members.say("mfaPolicyId")}: ${mfaPolicy(members)}`,
  deleteMfaPolicyIntent: (members) =>
    `Delete MFA policy ${members.say("mfaPolicyId")} of user ${members.say("userId")}`,
  createSessionProfileIntent: (members) =>
    `Create session profile ${members.say("sessionProfileName")}${members.ifSet("scope", (scope) => ` for ${scope}`)}`,
  deleteSessionProfileIntent: (members) => `Delete session profile ${members.say("sessionProfileId")}`,
  createEmailTemplateIntent: (members) =>
    `Create e-mail template ${members.say("templateName")} (${members.say("templateType")})`,
  deleteEmailTemplateIntent: (members) => `Delete e-mail template ${members.say("templateId")}`,
  recoverUserIntent: (members) => `Recover user ${members.say("userId")} with a new passkey`,
} satisfies FamilyWriters

function session(members: MemberPhrases<Key>): string {
  return `${members.say("publicKey")}${seconds(members)}`
}

function target(members: MemberPhrases<Target>): string {
  return `${members.say("targetPublicKey")}${seconds(members)}`
}

function seconds(members: MemberPhrases<{ readonly expirationSeconds?: string | undefined }>): string {
  return members.ifSet("expirationSeconds", (number) => `, for ${number} seconds`)
}

function code(members: MemberPhrases<Code>): string {
  return `Send a one-time code to ${members.say("contact")}`
}

function mail(members: MemberPhrases<Mail>): string {
  return `Send to ${members.say("email")}`
}

function mfaPolicy(members: MemberPhrases<MfaPolicy>): string {
  return `${members.ifSet("mfaPolicyName", (name) => `${name} `)}for user ${members.say("userId")}${members.ifSet("condition", (condition) => ` where ${condition}`)}`
}
