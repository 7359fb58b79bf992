import {
  type VerifyOidcTokenRequest,
  VerifyOidcTokenResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { requireApplication } from "../../../signer/core/oidc/applications.ts"
import { readIdToken } from "../../../signer/core/oidc/token.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

const FIELD = "oidcToken"

/**
 * The content of an ID token that the signer has verified. The organization must accept the application, and so must its
 * parent. @throws Refusal OIDC_TOKEN_INVALID, OIDC_APPLICATION_NOT_ALLOWED, the refusals of signer and fetcher; ApiError 503
 */
export const verifyOidcToken: Query<VerifyOidcTokenRequest> = async (
  { oidcToken },
  { organization: { id, document }, organizations, verifyIdToken },
) => {
  const token = readIdToken(oidcToken, FIELD)
  const parent = document.parentId === "" ? undefined : await organizations.refresh(document.parentId)
  requireApplication([document, ...(parent ? [parent.document] : [])], token, FIELD)
  await verifyIdToken(id, oidcToken)
  const { issuer: iss, subject: sub, audience: aud, claims } = token
  const { email, email_verified: isVerified } = claims
  return jsonText(VerifyOidcTokenResponseSchema, {
    oidcClaims: { iss, sub, aud },
    ...(isVerified === true && typeof email === "string" && { verifiedEmail: email }),
  })
}
