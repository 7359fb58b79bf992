import type { EffectiveSettings } from "../../signer/core/auth-proxy/settings.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"

type MethodSettings = Pick<EffectiveSettings, "allowedAuthMethods" | "walletKitSettings">

/** Way to log in, by the channel of a one-time code. */
const METHOD_OF_CHANNEL: { readonly [otpType: string]: string } = {
  OTP_TYPE_EMAIL: "email",
  OTP_TYPE_SMS: "sms",
}

/** Social logins in the order of login pages. */
const SOCIAL = ["google", "apple", "facebook", "x", "discord"]

/** Social login, by the issuer of its ID tokens. Google writes its own in two ways. */
const METHOD_OF_ISSUER: { readonly [issuer: string]: string } = {
  "https://accounts.google.com": "google",
  "accounts.google.com": "google",
  "https://appleid.apple.com": "apple",
  "https://www.facebook.com": "facebook",
  "https://limited.facebook.com": "facebook",
}

/** Way to log in with any other issuer. */
const OTHER_ISSUER = "oidc"

/** Social logins that are on: those listed in either of the two settings. */
export function socialLogins({ allowedAuthMethods, walletKitSettings }: MethodSettings): string[] {
  const listed = [...allowedAuthMethods, ...(walletKitSettings?.enabledSocialProviders ?? [])]
  return SOCIAL.filter((name) => listed.includes(name))
}

/** Ways to log in that are on and are no social login. */
export function otherLogins({ allowedAuthMethods }: MethodSettings): string[] {
  return allowedAuthMethods.filter((name) => !SOCIAL.includes(name))
}

/** Requires that codes of this channel are on. @throws ApiError 403 */
export function requireCodes(settings: MethodSettings, otpType: unknown): void {
  const method = METHOD_OF_CHANNEL[String(otpType)]
  if (method === undefined || otherLogins(settings).includes(method)) return
  throw disallowed("OTP", method)
}

/** Claims of a token, as far as they name a way to log in. */
type IssuerClaims = { readonly iss?: unknown; readonly sub?: unknown }

/** Requires that logins with tokens of this issuer are on. `ownIssuer`: of tokens that the service signs. @throws ApiError 403 */
export function requireIssuer(settings: MethodSettings, claims: IssuerClaims, ownIssuer: string): void {
  requireSocialLogin(settings, methodOf(claims, ownIssuer))
}

/** True if logins with tokens of this issuer are on. */
export function isIssuerOn(settings: MethodSettings, claims: IssuerClaims, ownIssuer: string): boolean {
  return isSocialLoginOn(settings, methodOf(claims, ownIssuer))
}

/** Requires that this social login is on. @throws ApiError 403 */
export function requireSocialLogin(settings: MethodSettings, method: string): void {
  if (!isSocialLoginOn(settings, method)) throw disallowed("OAUTH", method)
}

function isSocialLoginOn(settings: MethodSettings, method: string): boolean {
  return socialLogins(settings).includes(method) || otherLogins(settings).includes(method)
}

function methodOf({ iss: issuer, sub: subject }: IssuerClaims, ownIssuer: string): string {
  const isOwn = ownIssuer !== "" && issuer === ownIssuer
  const method = isOwn ? String(subject).replace(/:.*$/, "") : METHOD_OF_ISSUER[String(issuer)]
  return method ?? OTHER_ISSUER
}

/** Published clients match the first two words. */
function disallowed(kind: "OTP" | "OAUTH", method: string): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    `${kind} disallowed: "${method}" is off in this auth proxy; add it to allowedAuthMethods with update_auth_proxy_config`,
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "AUTH_METHOD_OFF" },
  )
}
