import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { readBase64url } from "../../../../signer/core/encodings.ts"
import { FieldRuleSchema, Form } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { faultOfString } from "../../../../proto/rules.ts"
import { parseStrictJson, StrictJsonError } from "../../../../proto/strict-json.ts"
import { ApiError, GrpcCode } from "../../../common/api-error.ts"
import { canonicalAddress } from "../../../../signer/core/address/canonical.ts"
import { invalid } from "../../errors.ts"
import { type IdentityKey, identityKey, type OidcClaims } from "../../store/identity-keys.ts"
import type { SubOrganizationFilter } from "../../store/sub-organizations.ts"

/** Without both members: no filter. */
type FilterRequest = { filterType?: string | undefined; filterValue?: string | undefined }

/**
 * The filter of list_suborgs. A value in a form that no identity can have is refused: an empty list would be read as
 * "not registered yet".
 *
 * @throws ApiError 400
 */
export function readFilter(request: FilterRequest): SubOrganizationFilter {
  const filter = readPair(request)
  if (filter === undefined) return { by: "nothing" }
  const { type, value } = filter
  if (type === "WALLET_ACCOUNT_ADDRESS") return { by: "address", address: canonicalAddress(value) }
  return { by: "identity", identity: readIdentity(type, value) }
}

/** The filter of list_verified_suborgs. @throws ApiError 400 */
export function readVerifiedFilter(request: FilterRequest): SubOrganizationFilter {
  const filter = readPair(request)
  if (filter === undefined) return { by: "any verified identity" }
  return { by: "verified identity", identity: readIdentity(filter.type, filter.value) }
}

function readPair({ filterType: type, filterValue: value }: FilterRequest) {
  if (type !== undefined && value !== undefined) return { type, value }
  if (value !== undefined) throw invalid("filterValue needs a filterType", "filterType")
  if (type !== undefined) throw invalid(`filterType ${type} needs a filterValue`, "filterValue")
  return undefined
}

/** @throws ApiError 400 */
export function readIdentity(type: string, value: string): IdentityKey {
  switch (type) {
    case "NAME":
      return identityKey.organizationName(value)
    case "USERNAME":
      return identityKey.userName(value)
    case "EMAIL":
      return identityKey.email(requireForm(value, { form: Form.EMAIL }))
    case "PHONE_NUMBER":
      return identityKey.phoneNumber(requireForm(value, { form: Form.E164 }))
    case "PUBLIC_KEY":
      return identityKey.publicKey(requireForm(value, { form: Form.API_KEY }))
    case "CREDENTIAL_ID":
      return identityKey.credentialId(readCredentialId(value))
    case "OIDC_TOKEN":
      return identityKey.oidc(readToken(value))
    case "OIDC_CLAIMS":
      return identityKey.oidc(readClaims(value))
    default:
      throw invalid(`unknown filterType "${type}"`, "filterType")
  }
}

function requireForm(value: string, rule: MessageInitShape<typeof FieldRuleSchema>): string {
  const complaint = faultOfString(value, create(FieldRuleSchema, rule))
  if (complaint !== undefined) throw invalid(`filterValue ${complaint}`, "filterValue")
  return value
}

function readCredentialId(text: string): Uint8Array {
  const id = readBase64url(text)
  if (id === undefined || id.length === 0) throw invalid("filterValue must be base64url", "filterValue")
  return id
}

/**
 * The identity in a compact JWT (RFC 7519). The token is decoded, not verified: the result names the owner of such a
 * token and proves nothing about the caller.
 */
function readToken(token: string): OidcClaims {
  const [header, payload, signature, ...rest] = token.split(".")
  if (!header || !payload || !signature || rest.length > 0) throw invalidToken("it is not a compact JWT")
  const claims = readBase64url(payload)
  if (claims === undefined) throw invalidToken("its payload is not base64url")
  return readClaims(claims.toString())
}

function readClaims(json: string): OidcClaims {
  const claims = readJson(json)
  if (typeof claims !== "object" || claims === null) throw invalidToken("its claims are not a JSON object")
  const { iss, aud, sub } = claims as { [claim: string]: unknown }
  // RFC 7519 section 4.1.3: a single audience may be in a list. If there are several, the client's is not known.
  const audience: unknown = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (!isText(iss) || !isText(sub) || !isText(audience)) {
    throw invalidToken("iss, sub and a single aud are required, as text")
  }
  return { issuer: iss, subject: sub, audience }
}

function readJson(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (error instanceof StrictJsonError) throw invalidToken("its claims are not strict JSON")
    throw error
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== ""
}

function invalidToken(why: string): ApiError {
  return new ApiError(GrpcCode.invalidArgument, `invalid OIDC token: ${why}`, {
    publicCode: "INVALID_OIDC_TOKEN",
    field: "filterValue",
  })
}
