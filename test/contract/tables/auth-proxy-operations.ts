// Enabling and settings of the authentication proxy. The document names the dashboard that does it, and no operation;
// published clients declare the activities, and no query.
import {
  boolean,
  type Fields,
  list,
  number,
  oneOf,
  record,
  silentOptional,
  silentRequired,
  object,
  string,
  timestamp,
} from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"

export const authProxyReplies: readonly Reply[] = [
  reply("ENABLE_AUTH_PROXY", "", "enableAuthProxy", { userId: silentRequired(string) }),
  reply("DISABLE_AUTH_PROXY", "", "disableAuthProxy", {}),
  reply("UPDATE_AUTH_PROXY_CONFIG", "", "updateAuthProxyConfig", { configId: silentRequired(string) }),
  reply("CREATE_EMAIL_TEMPLATE", "", "createEmailTemplate", { templateId: silentRequired(string) }),
  reply("DELETE_EMAIL_TEMPLATE", "", "deleteEmailTemplate", { templateId: silentRequired(string) }),
]

const settings: Fields = {
  allowedOrigins: silentRequired(list(string)),
  allowMissingOrigin: silentRequired(boolean),
  allowedAuthMethods: silentRequired(list(string)),
  sendFromEmailAddress: silentOptional(string),
  sendFromEmailSenderName: silentOptional(string),
  replyToEmailAddress: silentOptional(string),
  emailAuthTemplateId: silentOptional(string),
  otpTemplateId: silentOptional(string),
  emailCustomizationParams: silentOptional(object),
  smsCustomizationParams: silentOptional(object),
  walletKitSettings: silentOptional(object),
  otpExpirationSeconds: silentRequired(number),
  verificationTokenExpirationSeconds: silentRequired(number),
  sessionExpirationSeconds: silentRequired(number),
  otpAlphanumeric: silentRequired(boolean),
  otpLength: silentRequired(number),
  verificationTokenRequiredForGetAccountPii: silentRequired(boolean),
  socialLinkingClientIds: silentRequired(list(string)),
  captchaEnabled: silentRequired(boolean),
}

const emailTemplate: Fields = {
  organizationId: silentRequired(string),
  templateId: silentRequired(string),
  templateName: silentRequired(string),
  templateType: silentRequired(oneOf(["EMAIL_TEMPLATE_TYPE_OTP"])),
  html: silentRequired(string),
  text: silentRequired(string),
  subject: silentRequired(string),
  digest: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

export const authProxyQueries: readonly QueryOperation[] = [
  {
    path: "get_auth_proxy_config",
    body: { organizationId: silentRequired(string) },
    reply: {
      authProxyConfig: silentRequired(
        record({
          configId: silentRequired(string),
          userId: silentRequired(string),
          enabled: silentRequired(boolean),
          publicKey: silentOptional(string),
          settings: silentRequired(record(settings)),
        }),
      ),
    },
  },
  {
    path: "list_email_templates",
    body: { organizationId: silentRequired(string) },
    reply: { emailTemplates: silentRequired(list(record(emailTemplate))) },
  },
]
