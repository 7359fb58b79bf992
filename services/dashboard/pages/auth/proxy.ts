// The settings of the organization's auth proxy, and the changes to them.
import { type Loaded, useQuery } from "../../api/data.ts"
import type { Change } from "../../ui/change-model.ts"
import { openChange } from "../../ui/change.tsx"

export type MailWording = {
  appName?: string
  logoUrl?: string
  magicLinkTemplate?: string
  templateVariables?: string
  templateId?: string
}

/** Settings as get_auth_proxy_config states them: with defaults, and without empty lists. */
export type ProxySettings = {
  allowedOrigins?: string[]
  allowMissingOrigin?: boolean
  allowedAuthMethods?: string[]
  sendFromEmailAddress?: string
  sendFromEmailSenderName?: string
  replyToEmailAddress?: string
  otpTemplateId?: string
  emailCustomizationParams?: MailWording
  smsCustomizationParams?: { template?: string }
  walletKitSettings?: {
    enabledSocialProviders?: string[]
    oauthClientIds?: { [provider: string]: string }
    oauthRedirectUrl?: string
  }
  otpExpirationSeconds: number
  verificationTokenExpirationSeconds: number
  sessionExpirationSeconds: number
  otpAlphanumeric: boolean
  otpLength: number
  verificationTokenRequiredForGetAccountPii: boolean
  socialLinkingClientIds?: string[]
  captchaEnabled: boolean
}

export type ProxyConfig = {
  configId: string
  enabled: boolean
  userId: string
  publicKey?: string
  settings: ProxySettings
}

export function useProxy(): Loaded<{ authProxyConfig: ProxyConfig }> {
  return useQuery("get_auth_proxy_config")
}

/** Opens the dialog of a change to the settings: `title` names what changes. */
export function changeSettings(change: Omit<Change, "type" | "verb" | "sentence">): void {
  openChange({
    ...change,
    verb: "Save",
    type: "ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG",
    sentence: `${change.title}: login pages meet it within two seconds.`,
  })
}
