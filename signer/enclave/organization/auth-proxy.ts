import { clearField, create, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf"
import {
  type AuthProxySettings,
  AuthProxySettingsSchema,
} from "../../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"
import { CredentialType, Effect, FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type UpdateAuthProxyConfigIntent as Change,
  UpdateAuthProxyConfigIntentSchema,
} from "../../../proto/gen/countersign/api/v1/intents/proxy_pb.ts"
import {
  type AuthProxy,
  AuthProxySchema,
  type OrganizationDocument,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { canonicalOrigin } from "../../core/auth-proxy/origins.ts"
import { authProxyPolicy } from "../../core/auth-proxy/policy.ts"
import { messageTermsOf } from "../../core/auth-proxy/settings.ts"
import { requireTerms, type TermFields } from "../../core/messages/terms.ts"
import { refuse } from "../../core/refusal.ts"
import { addApiKey } from "./credentials.ts"
import type { Draft } from "./draft.ts"
import { requireEmailTemplate } from "./email-templates.ts"
import { removeFeature, storeFeature } from "./features.ts"
import { requireTopLevel } from "./lifecycle.ts"
import { addPolicy } from "./policies.ts"
import { addUser } from "./users.ts"

/** Members of an activity's context that enabling uses. */
type KeySource = {
  newId: () => string
  /** @throws AUTH_PROXY_NOT_PAIRED */
  newAuthProxyKey: (configId: string) => Pick<AuthProxy, "publicKey" | "sealedPrivateKey">
}

/**
 * Enables the auth proxy: its user, that user's only key, and a policy that lists what the user may do. An enabled proxy
 * gets a new key, and its user and policy as they were first made. Returns the id of the user.
 * @throws ACTIVITY_CALLER_INVALID, AUTH_PROXY_NOT_PAIRED, LIMIT_EXCEEDED, NAME_TAKEN, POLICIES_TOO_LARGE
 */
export function enableProxy(draft: Draft, { newId, newAuthProxyKey }: KeySource): string {
  requireTopLevel(draft, "the auth proxy")
  const { document } = draft
  const proxy =
    document.authProxy ?? create(AuthProxySchema, { configId: newId(), userId: newId(), policyId: newId() })
  removeUserAndPolicy(draft, proxy)
  document.authProxy = Object.assign(proxy, newAuthProxyKey(proxy.configId))
  const { configId, userId, policyId, publicKey } = proxy
  const name = `Auth proxy ${configId}`
  const user = addUser(draft, { userId, name, email: "", phoneNumber: "" }, "")
  const key = { apiKeyId: newId(), name: "Auth proxy", publicKey, type: CredentialType.API_KEY_P256 }
  addApiKey(draft, user, { ...key, expirationSeconds: 0n }, "")
  const policy = { policyId, name, effect: Effect.ALLOW, notes: NOTES, ...authProxyPolicy(userId) }
  addPolicy(draft, policy, "")
  storeFeature(draft, FeatureName.AUTH_PROXY, "true")
  return userId
}

const NOTES = "Made when the auth proxy was enabled. Without it the proxy can start no login and no sign-up."

/**
 * Disables the auth proxy: deletes its user, key and policy. Ids stay, so that login pages and other policies stay valid.
 * The settings stay too: enabled again without its origins, the proxy would serve pages of every origin.
 */
export function disableProxy(draft: Draft): void {
  const { authProxy } = draft.document
  removeFeature(draft, FeatureName.AUTH_PROXY)
  if (authProxy === undefined || authProxy.publicKey === "") return
  removeUserAndPolicy(draft, authProxy)
  Object.assign(authProxy, { publicKey: "", sealedPrivateKey: new Uint8Array(0) })
}

function removeUserAndPolicy(draft: Draft, proxy: AuthProxy): void {
  const { document } = draft
  document.users = document.users.filter(({ userId }) => userId !== proxy.userId)
  document.policies = document.policies.filter(({ policyId }) => policyId !== proxy.policyId)
  draft.markChanged()
}

/**
 * Changes settings. Absent members and empty lists stay unchanged, also those of members that are objects; `resetMembers`
 * return to their defaults first. Other settings stay as an earlier release accepted them. Returns the configuration's id.
 * @throws AUTH_PROXY_DISABLED, AUTH_PROXY_SETTING_INVALID, OTP_MESSAGE_INVALID, RESOURCE_UNKNOWN
 */
export function changeProxySettings(draft: Draft, change: Change): string {
  const { authProxy } = draft.document
  if (authProxy === undefined || authProxy.publicKey === "")
    throw refuse("AUTH_PROXY_DISABLED", "the auth proxy is disabled: enable it first, with enable_auth_proxy")
  const settings = (authProxy.settings ??= create(AuthProxySettingsSchema))
  for (const field of AuthProxySettingsSchema.fields)
    if (change.resetMembers.includes(field.jsonName)) clearField(settings, field)
  mergeSet([AuthProxySettingsSchema, settings], [UpdateAuthProxyConfigIntentSchema, change])
  if (change.allowedOrigins.length > 0) settings.allowedOrigins = change.allowedOrigins.map(requireOrigin)
  requireMessages(draft.document, settings, change)
  draft.markChanged()
  return authProxy.configId
}

const MAIL = "parameters.emailCustomizationParams"

/** Paths of the members that messages are made with. */
const MESSAGE_FIELDS: TermFields = {
  appName: `${MAIL}.appName`,
  logoUrl: `${MAIL}.logoUrl`,
  magicLinkTemplate: `${MAIL}.magicLinkTemplate`,
  templateVariables: `${MAIL}.templateVariables`,
  templateId: `${MAIL}.templateId`,
  smsTemplate: "parameters.smsCustomizationParams.template",
  senderAddress: "parameters.sendFromEmailAddress",
  senderName: "parameters.sendFromEmailSenderName",
  replyTo: "parameters.replyToEmailAddress",
}

/** Refuses a change with which no message could be made. Members that make one text are checked together. @throws OTP_MESSAGE_INVALID, RESOURCE_UNKNOWN */
function requireMessages(document: OrganizationDocument, settings: AuthProxySettings, change: Change): void {
  const { otpTemplateId, emailCustomizationParams: mail, smsCustomizationParams: sms, resetMembers } = change
  const isReworded = mail ?? sms ?? resetMembers.find((member) => member.endsWith("CustomizationParams"))
  const { sendFromEmailAddress: senderAddress, sendFromEmailSenderName: senderName } = change
  const sender = { senderAddress, senderName, replyTo: change.replyToEmailAddress }
  requireTerms({ ...(isReworded && messageTermsOf(settings)), ...sender }, MESSAGE_FIELDS)
  if (otpTemplateId) requireEmailTemplate(document, otpTemplateId, "parameters.otpTemplateId")
  if (mail?.templateId) requireEmailTemplate(document, mail.templateId, MESSAGE_FIELDS.templateId)
  if (change.emailAuthTemplateId === undefined) return
  const field = "parameters.emailAuthTemplateId"
  const sentence = `${field}: the auth proxy sends no e-mails with credentials, so it has no effect; reset the member`
  throw refuse("AUTH_PROXY_SETTING_INVALID", sentence, { field })
}

type Typed = [DescMessage, Message]

/** Copies the members that are set; both messages spell them alike. */
function mergeSet([schema, target]: Typed, [from, source]: Typed): void {
  const members = target as Message & { [member: string]: unknown }
  for (const { localName, ...field } of schema.fields) {
    const given = from.field[localName]
    if (given === undefined || !isFieldSet(source, given)) continue
    const value = (source as typeof members)[localName]
    if (field.fieldKind !== "message") members[localName] = value
    else {
      const inner = (members[localName] ??= create(field.message)) as Message
      mergeSet([field.message, inner], [field.message, value as Message])
    }
  }
}

/** The origin as it is compared. @throws AUTH_PROXY_SETTING_INVALID */
function requireOrigin(text: string, index: number): string {
  const origin = canonicalOrigin(text)
  if (origin !== undefined) return origin
  const sentence = `"${text}" is no origin; write scheme and host, https://app.example.com, or a single *`
  throw refuse("AUTH_PROXY_SETTING_INVALID", sentence, { field: `parameters.allowedOrigins[${index}]` })
}
