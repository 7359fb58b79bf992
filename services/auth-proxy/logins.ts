import type { JsonMembers } from "../../proto/strict-json.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import { requireCodes, requireIssuer } from "./auth-methods.ts"
import { requireObject } from "./core-api.ts"
import type { ProxyRequest } from "./proxy-request.ts"
import { requireSubOrganization } from "./sub-organization.ts"
import { claimsOfIdToken, claimsOfVerificationToken } from "./token-claims.ts"

type Json = { readonly [member: string]: unknown }

/** Filter of look-ups, by the channel of a verification token. */
const FILTERS: { readonly [channel: string]: string } = {
  OTP_TYPE_EMAIL: "EMAIL",
  OTP_TYPE_SMS: "PHONE_NUMBER",
}

/**
 * Opens a session in the sub-organization of a contact. `organizationId` names it; without that member the contact must be
 * proven in one sub-organization alone, or be the only login method of one.
 *
 * @throws ApiError 400, 401, 403, 404, 503; CoreRefusal
 */
export async function otpLogin(
  { clean: members, configuration: { settings }, organization }: ProxyRequest,
  version: "" | "_V2",
): Promise<object> {
  const { verificationToken, publicKey, invalidateExisting } = members
  const claims = claimsOfVerificationToken(verificationToken as string)
  const { verification_type: channel, contact } = claims
  requireCodes(settings, channel)
  const filter = { filterType: FILTERS[String(channel)] ?? "EMAIL", filterValue: String(contact) }
  const organizationId = members["organizationId"] ?? (await requireSubOrganization(filter, organization))
  const parameters = {
    verificationToken,
    publicKey,
    invalidateExisting,
    expirationSeconds: String(settings.sessionExpirationSeconds),
    clientSignature: clientSignatureOf(members, claims),
  }
  const type = `ACTIVITY_TYPE_OTP_LOGIN${version}`
  const { result } = await organization.submit("otp_login", type, parameters, { organizationId })
  return requireObject(result, "otpLoginResult")
}

/**
 * Opens a session in the sub-organization of an OIDC identity.
 *
 * @throws ApiError 400, 401, 403, 404, 503; CoreRefusal
 */
export async function oauthLogin({ clean, configuration, organization }: ProxyRequest): Promise<object> {
  const { settings } = configuration
  const { oidcToken, publicKey, invalidateExisting } = clean
  requireIssuer(settings, claimsOfIdToken(oidcToken as string), configuration.oidcIssuer)
  const filter = { filterType: "OIDC_TOKEN", filterValue: oidcToken as string }
  const organizationId = clean["organizationId"] ?? (await requireSubOrganization(filter, organization))
  const expirationSeconds = String(settings.sessionExpirationSeconds)
  const parameters = { oidcToken, publicKey, invalidateExisting, expirationSeconds }
  const type = "ACTIVITY_TYPE_OAUTH_LOGIN"
  const { result } = await organization.submit("oauth_login", type, parameters, { organizationId })
  return requireObject(result, "oauthLoginResult")
}

/**
 * The signature in the form of published clients. The interface's document has the hex of a signature over the token
 * itself, by the key that the token is bound to.
 *
 * @throws ApiError 400
 */
function clientSignatureOf(
  { clientSignature, verificationToken, publicKey }: Json,
  { public_key: boundKey }: JsonMembers,
): unknown {
  if (typeof clientSignature !== "string") {
    if (clientSignature === undefined || typeof clientSignature === "object") return clientSignature
    throw new ApiError(
      GrpcCode.invalidArgument,
      "clientSignature: give an object with publicKey, scheme, message and signature, or a signature of the token as hex",
      { publicCode: "REQUEST_INVALID", field: "clientSignature" },
    )
  }
  const scheme = "CLIENT_SIGNATURE_SCHEME_API_P256"
  return {
    publicKey: boundKey ?? publicKey,
    scheme,
    message: verificationToken,
    signature: clientSignature,
  }
}
