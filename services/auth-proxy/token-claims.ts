import { readBase64url } from "../../signer/core/encodings.ts"
import { type JsonMembers, readJsonObject } from "../../proto/strict-json.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"

/**
 * The claims of a verification token, compact JWS (RFC 7519). Nothing is verified here: the claims say where to send the
 * login, and the signer verifies the token there.
 * @throws ApiError 401
 */
export function claimsOfVerificationToken(token: string): JsonMembers {
  return claimsOf(
    token,
    () =>
      new ApiError(GrpcCode.unauthenticated, "invalid verification token: it is no such token", {
        publicCode: "UNAUTHENTICATED",
        reason: "VERIFICATION_TOKEN_INVALID",
        field: "verificationToken",
      }),
  )
}

/** The claims of an ID token, not verified either. @throws ApiError 400 */
export function claimsOfIdToken(token: string): JsonMembers {
  return claimsOf(
    token,
    () =>
      new ApiError(GrpcCode.invalidArgument, "invalid OIDC token: it is not a compact JWT", {
        publicCode: "INVALID_OIDC_TOKEN",
        field: "oidcToken",
      }),
  )
}

function claimsOf(token: string, fault: () => ApiError): JsonMembers {
  const [, payload = "", signature, ...rest] = token.split(".")
  if (signature === undefined || rest.length > 0) throw fault()
  const bytes = readBase64url(payload)
  if (bytes === undefined) throw fault()
  return readJsonObject(bytes, fault)
}
