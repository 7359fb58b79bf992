import type { AccountRequest } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Configuration } from "./configurations.ts"
import type { OrganizationClient } from "./organization-client.ts"

/** Filters by contact: only a contact that was proven names its organization. */
const CONTACTS = ["EMAIL", "PHONE_NUMBER"]

/**
 * The sub-organization of a contact or credential; without one, the member is absent.
 *
 * @throws ApiError 401 where several have it; 403 for a contact that needs proof; CoreRefusal
 */
export async function account(
  request: AccountRequest,
  { settings }: Configuration,
  organization: Pick<OrganizationClient, "query">,
): Promise<object> {
  const { filterValue } = request
  const filterType = request.filterType === "PHONE" ? "PHONE_NUMBER" : request.filterType
  const isContact = CONTACTS.includes(filterType)
  if (isContact && settings.verificationTokenRequiredForGetAccountPii) throw needsProof()
  const path = isContact ? "list_verified_suborgs" : "list_suborgs"
  const paginationOptions = { limit: "2" }
  const { organizationIds } = await organization.query(path, { filterType, filterValue, paginationOptions })
  const [organizationId, another] = organizationIds as string[]
  if (another !== undefined) throw ambiguous(filterType)
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

function ambiguous(filterType: string): ApiError {
  return new ApiError(
    GrpcCode.unauthenticated,
    `more than one suborg associated with this ${filterType}: name it in organizationId`,
    { publicCode: "CREDENTIAL_CONFLICT", field: "filterValue" },
  )
}
