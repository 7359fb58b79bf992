import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { AccountRequest } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import { linkableAddress } from "../../signer/core/auth-proxy/linking.ts"
import { ownIssuerKey } from "../../signer/core/oidc/issued-token.ts"
import { DEFAULT_LEEWAY_SECONDS } from "../../signer/core/oidc/issuer.ts"
import { type IdToken, readIdToken, requireValid } from "../../signer/core/oidc/token.ts"
import { provesContact, requireVerificationToken } from "../../signer/core/otp/verification-token.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Configuration } from "./configurations.ts"
import { requireList } from "./core-api.ts"
import type { OrganizationClient } from "./organization-client.ts"
import type { ListFilter } from "./sub-organization.ts"

/** A look-up by contact, with its proofs. */
type ContactLookUp = Pick<AccountRequest, "verificationToken" | "oidcToken"> & {
  filter: ListFilter
  nowMs: number
  organization: Pick<OrganizationClient, "query">
}

const FIELD = "oidcToken"

/**
 * Requires a proof that the caller reads the contact's messages. It is a verification token for the contact, or an ID token
 * with the address for an application of the organization. The proxy verifies what the service signed with the fetcher's key,
 * which the signer states.
 * @throws ApiError 401 for a token that is not genuine, 403 without a proof; CoreRefusal
 */
export async function requireContactProof(
  lookUp: ContactLookUp,
  configuration: Configuration,
): Promise<void> {
  const { verificationToken, oidcToken } = lookUp
  try {
    if (verificationToken !== undefined && provesByCode(verificationToken, lookUp, configuration)) return
    if (oidcToken !== undefined && (await provesByIdentity(oidcToken, lookUp, configuration))) return
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ApiError(GrpcCode.unauthenticated, error.message, {
      publicCode: "UNAUTHENTICATED",
      reason: error.code,
      ...(error.field !== undefined && { field: error.field }),
    })
  }
  throw needsProof()
}

/** @throws Refusal VERIFICATION_TOKEN_INVALID */
function provesByCode(
  compact: string,
  { filter: { filterType, filterValue }, nowMs }: ContactLookUp,
  { fetcherKey, organizationId }: Configuration,
): boolean {
  if (fetcherKey === undefined) return false
  const terms = { fetcherKey, organizationIds: [organizationId], nowMs, field: "verificationToken" }
  const token = requireVerificationToken(compact, terms)
  return provesContact(token, filterType === "EMAIL" ? OtpType.EMAIL : OtpType.SMS, filterValue)
}

/** @throws Refusal OIDC_TOKEN_INVALID; CoreRefusal */
async function provesByIdentity(
  compact: string,
  lookUp: ContactLookUp,
  configuration: Configuration,
): Promise<boolean> {
  const token = readIdToken(compact, FIELD)
  const isOwn = configuration.oidcIssuer !== "" && token.issuer === configuration.oidcIssuer
  return isOwn ? provesByOwn(token, lookUp, configuration) : provesByLinking(token, lookUp, configuration)
}

/** A token that the service signed itself: the proxy knows the key. @throws Refusal OIDC_TOKEN_INVALID; CoreRefusal */
async function provesByOwn(
  token: IdToken,
  { filter, nowMs, organization }: ContactLookUp,
  { fetcherKey }: Configuration,
): Promise<boolean> {
  if (fetcherKey === undefined) return false
  requireValid(token, [ownIssuerKey(fetcherKey)], { nowMs, leewaySeconds: DEFAULT_LEEWAY_SECONDS }, FIELD)
  const { email, email_verified: isVerified } = token.claims
  if (isVerified !== true || typeof email !== "string" || !isAddress(email, filter)) return false
  return isApplication(token.audience, organization)
}

/**
 * A token of an issuer whose word links addresses, for an application of the settings. The signer verifies it: it alone
 * knows the issuer's keys. @throws CoreRefusal
 */
async function provesByLinking(
  token: IdToken,
  { oidcToken, filter, organization }: ContactLookUp,
  { settings }: Configuration,
): Promise<boolean> {
  const address = linkableAddress(token, settings)
  if (address === undefined || !isAddress(address, filter)) return false
  await organization.query("verify_oidc_token", { oidcToken })
  return true
}

function isAddress(email: string, { filterType, filterValue }: ListFilter): boolean {
  const stated = { channel: OtpType.EMAIL, contact: email }
  return filterType === "EMAIL" && provesContact(stated, OtpType.EMAIL, filterValue)
}

/** True for a client id of the organization's own: who logged in at another tenant has proven nothing here. */
async function isApplication(
  clientId: string,
  organization: ContactLookUp["organization"],
): Promise<boolean> {
  const reply = await organization.query("list_oauth2_credentials", {})
  const credentials = requireList(reply, "oauth2Credentials") as { clientId?: unknown }[]
  return credentials.some((one) => one.clientId === clientId)
}

function needsProof(): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    "verification token required: look-ups by contact need a verificationToken for this contact",
    {
      publicCode: "REQUEST_NOT_AUTHORIZED",
      reason: "VERIFICATION_TOKEN_REQUIRED",
      field: "verificationToken",
    },
  )
}
