import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  type AuthProxySettings,
  AuthProxySettingsSchema,
} from "../../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"

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
