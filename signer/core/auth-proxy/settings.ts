import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  type AuthProxySettings,
  AuthProxySettingsSchema,
} from "../../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { MessageTerms } from "../messages/terms.ts"

/** Settings that have a default, as they are until they are set. */
const DEFAULTS = {
  allowMissingOrigin: false,
  otpExpirationSeconds: 300,
  verificationTokenExpirationSeconds: 3600,
  sessionExpirationSeconds: 900,
  otpAlphanumeric: true,
  otpLength: 6,
  verificationTokenRequiredForGetAccountPii: false,
  captchaEnabled: false,
} as const satisfies MessageInitShape<typeof AuthProxySettingsSchema>

/** Ways to log in that need nothing but this service. Text messages and social logins need a provider's account. */
const DEFAULT_AUTH_METHODS = ["email", "passkey", "wallet"]

/** Settings in which every member with a default has a value. */
export type EffectiveSettings = AuthProxySettings & {
  [Member in keyof typeof DEFAULTS]: NonNullable<AuthProxySettings[Member]>
}

/** Stored settings with the defaults of absent members. */
export function withDefaults(stored: AuthProxySettings | undefined): EffectiveSettings {
  const settings = Object.assign(create(AuthProxySettingsSchema, DEFAULTS), stored)
  if (settings.allowedAuthMethods.length === 0) settings.allowedAuthMethods = DEFAULT_AUTH_METHODS
  return settings as EffectiveSettings
}

/** Settings of an organization whose auth proxy is enabled. */
export function enabledSettings({
  authProxy,
}: Pick<OrganizationDocument, "authProxy">): EffectiveSettings | undefined {
  return authProxy === undefined || authProxy.publicKey === "" ? undefined : withDefaults(authProxy.settings)
}

/** Texts and senders of an auth proxy's messages. */
export function messageTermsOf(settings: AuthProxySettings): MessageTerms {
  const { emailCustomizationParams: mail, smsCustomizationParams: sms } = settings
  return {
    appName: mail?.appName,
    logoUrl: mail?.logoUrl,
    magicLinkTemplate: mail?.magicLinkTemplate,
    templateVariables: mail?.templateVariables,
    templateId: settings.otpTemplateId ?? mail?.templateId,
    smsTemplate: sms?.template,
    senderAddress: settings.sendFromEmailAddress,
    senderName: settings.sendFromEmailSenderName,
    replyTo: settings.replyToEmailAddress,
  }
}
