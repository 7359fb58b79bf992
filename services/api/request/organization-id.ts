import { ApiError, GrpcCode } from "../../common/api-error.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The id of an organization as the database knows it, lower case: the same for submits and queries.
 *
 * @throws ApiError INVALID_ORGANIZATION_ID
 */
export function readOrganizationId(text: string): string {
  const organizationId = text.toLowerCase()
  if (UUID.test(organizationId)) return organizationId
  throw new ApiError(GrpcCode.invalidArgument, "malformed organization ID provided", {
    publicCode: "INVALID_ORGANIZATION_ID",
    field: "organizationId",
  })
}
