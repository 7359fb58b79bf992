import type { AccountRequest } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import { linkAccount } from "./link-account.ts"
import type { ProxyRequest } from "./proxy-request.ts"
import { findSubOrganization, isContact } from "./sub-organization.ts"

/**
 * The sub-organization of a contact or credential; without one, the member is absent. A Google identity that no
 * sub-organization has may be linked first.
 *
 * @throws ApiError 401 where several have it; 403 for a contact that needs proof; CoreRefusal
 */
export async function account(
  { filterType, filterValue }: AccountRequest,
  request: Pick<ProxyRequest, "configuration" | "organization">,
): Promise<object> {
  const { configuration, organization } = request
  const { settings } = configuration
  const filter = { filterType: filterType === "PHONE" ? "PHONE_NUMBER" : filterType, filterValue }
  if (isContact(filter) && settings.verificationTokenRequiredForGetAccountPii) throw needsProof()
  const isToken = filterType === "OIDC_TOKEN"
  const organizationId =
    (await findSubOrganization(filter, organization)) ??
    (isToken ? await linkAccount(filterValue, request) : undefined)
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
