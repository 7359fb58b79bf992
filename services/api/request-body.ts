import { BODY_LIMITS, parseStrictJsonBytes } from "../../proto/strict-json.ts"
import { readUuid } from "../../signer/core/uuid.ts"
import { malformedOrganizationId } from "../../signer/core/wire.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import { invalid } from "./errors.ts"

/** The members of a JSON body. @throws StrictJsonError, ApiError REQUEST_MALFORMED */
export function readObject(body: Buffer): { [member: string]: unknown } {
  const json = parseStrictJsonBytes(body, BODY_LIMITS)
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalid("bad request body: it is not a JSON object", "", "REQUEST_MALFORMED")
  }
  return json as { [member: string]: unknown }
}

/** An organization's id in lower case, as the database stores it. @throws ApiError INVALID_ORGANIZATION_ID */
export function readOrganizationId(text: string): string {
  const organizationId = readUuid(text)
  if (organizationId !== undefined) return organizationId
  throw new ApiError(GrpcCode.invalidArgument, malformedOrganizationId(text), {
    publicCode: "INVALID_ORGANIZATION_ID",
    field: "organizationId",
  })
}
