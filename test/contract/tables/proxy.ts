// Section "Authentication proxy operations". The document leaves open which body members are required: silent…
// throughout. Names are those of the document, mixed casing included.
import { CURVE, OAUTH2_PROVIDER, OTP_TYPE, OTP_TYPE_BEYOND, SIGNUP_CURVE_BEYOND } from "./enums.ts"
import {
  beginningWith,
  beyond,
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
} from "./field.ts"

export type ProxyOperation = { path: string; body: Fields; reply: Fields }

export const proxyOperations: readonly ProxyOperation[] = [
  {
    path: "signup",
    body: {
      userName: silentOptional(string),
      organizationName: silentOptional(string),
      userEmail: silentOptional(string),
      apiKeys: silentOptional(list(object)),
      authenticators: silentOptional(list(object)),
      oauthProviders: silentOptional(list(object)),
      wallet: silentOptional(
        record({
          path: silentOptional(string),
          curve: silentOptional(oneOf(CURVE, SIGNUP_CURVE_BEYOND)),
          walletName: beyond(string),
          accounts: beyond(list(object)),
          mnemonicLength: beyond(number),
        }),
      ),
      userPhoneNumber: beyond(string),
      userTag: beyond(string),
      verificationToken: beyond(string),
      clientSignature: beyond(object),
    },
    reply: {
      organizationId: silentRequired(string),
      userId: beyond(string),
      wallet: beyond(object),
      appProofs: beyond(list(object)),
    },
  },
  {
    path: "otp_init",
    body: {
      otpType: silentRequired(oneOf(OTP_TYPE, OTP_TYPE_BEYOND)),
      contact: silentRequired(string),
      emailCustomization: beyond(object),
    },
    reply: { otpId: silentRequired(string) },
  },
  {
    path: "otp_verify",
    body: {
      otpId: silentRequired(string),
      otpCode: silentRequired(string),
      public_key: silentOptional(string),
    },
    reply: { verificationToken: silentRequired(string) },
  },
  {
    path: "otp_login",
    body: {
      verificationToken: silentRequired(string),
      publicKey: silentRequired(string),
      client_signature: silentOptional(string),
      invalidateExisting: beyond(boolean),
      organizationId: beyond(string),
    },
    reply: { session: silentRequired(string) },
  },
  {
    path: "oauth2_authenticate",
    body: {
      provider: silentRequired(beginningWith("OAUTH2_PROVIDER_", OAUTH2_PROVIDER)),
      authCode: silentRequired(string),
      redirectUri: silentRequired(string),
      codeVerifier: silentRequired(string),
      nonce: silentRequired(string),
      clientId: silentRequired(string),
    },
    reply: { oidcToken: silentRequired(string) },
  },
  {
    path: "oauth_login",
    body: {
      oidcToken: silentRequired(string),
      publicKey: silentRequired(string),
      invalidateExisting: silentOptional(boolean),
      organizationId: beyond(string),
    },
    reply: { session: silentRequired(string) },
  },
  {
    path: "account",
    body: {
      filterType: silentRequired(string),
      filterValue: silentRequired(string),
      verificationToken: beyond(string),
      oidcToken: beyond(string),
    },
    // Absent when nothing matches: an empty object is the answer published clients expect.
    reply: { organizationId: silentOptional(string) },
  },
  {
    path: "wallet_kit_config",
    body: {},
    reply: {
      enabledProviders: silentRequired(list(string)),
      sessionExpirationSeconds: silentRequired(string),
      organizationId: silentRequired(string),
      oauthClientIds: beyond(object),
      oauthRedirectUrl: beyond(string),
      otpAlphanumeric: beyond(boolean),
      otpLength: beyond(string),
    },
  },
]
