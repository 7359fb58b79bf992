import type { AccountRequest } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Configuration } from "./configurations.ts"
import type { OrganizationClient } from "./organization-client.ts"
import { findSubOrganization, isContact } from "./sub-organization.ts"

/**
 * The sub-organization of a contact or credential; without one, the member is absent.
 *
 * @throws ApiError 401 where several have it; 403 for a contact that needs proof; CoreRefusal
 */
export async function account(
  { filterType, filterValue }: AccountRequest,
  { settings }: Configuration,
  organization: Pick<OrganizationClient, "query">,
): Promise<object> {
  const filter = { filterType: filterType === "PHONE" ? "PHONE_NUMBER" : filterType, filterValue }
  if (isContact(filter) && settings.verificationTokenRequiredForGetAccountPii) throw needsProof()
  const organizationId = await findSubOrganization(filter, organization)
  return organizationId === undefined ? {} : { organizationId }
}

function needsProof(): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    "verification token required: this organization answers look-ups by contact to nobody else",
    {
      publicCode: "REQUEST_NOT_AUTHORIZED",
      reason: "VERIFICATION_TOKEN_REQUIRED",
      field: "verificationToken",
    },
  )
}
