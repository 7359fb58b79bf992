import { ApiError, GrpcCode } from "../common/api-error.ts"
import { requireList } from "./core-api.ts"
import type { OrganizationClient } from "./organization-client.ts"

/** A filter of list_suborgs. */
export type ListFilter = { filterType: string; filterValue: string }

/** Filters by contact. */
const CONTACTS = ["EMAIL", "PHONE_NUMBER"]

export function isContact({ filterType }: ListFilter): boolean {
  return CONTACTS.includes(filterType)
}

/** The sub-organizations in which a contact is proven, at most two. @throws CoreRefusal */
export async function listProvenSubOrganizations(
  filter: ListFilter,
  organization: Pick<OrganizationClient, "query">,
): Promise<string[]> {
  const members = { ...filter, paginationOptions: { limit: "2" } }
  return requireList(
    await organization.query("list_verified_suborgs", members),
    "organizationIds",
  ) as string[]
}

/**
 * The sub-organization that has this contact or credential; undefined: there is none. A contact that nobody has proven leads
 * to the oldest one whose only login method it is.
 * @param field the member of the request by which the caller can say which one, for a refusal
 * @throws ApiError 401 where several have it; CoreRefusal
 */
export async function findSubOrganization(
  filter: ListFilter,
  organization: Pick<OrganizationClient, "query">,
  field: "filterValue" | "organizationId",
): Promise<string | undefined> {
  const found = isContact(filter)
    ? await organization.query("list_login_suborgs", filter)
    : await organization.query("list_suborgs", { ...filter, paginationOptions: { limit: "2" } })
  const [organizationId, another] = requireList(found, "organizationIds") as string[]
  if (another !== undefined) throw ambiguous(filter, field)
  return organizationId
}

/** As findSubOrganization, for a login. @throws ApiError 401, 404; CoreRefusal */
export async function requireSubOrganization(
  filter: ListFilter,
  organization: Pick<OrganizationClient, "query">,
): Promise<string> {
  const organizationId = await findSubOrganization(filter, organization, "organizationId")
  if (organizationId !== undefined) return organizationId
  const proof = isContact(filter) ? "proven contact" : "identity"
  throw new ApiError(
    GrpcCode.notFound,
    `no organization found with the ${proof} of this token: sign up, or name the organization in organizationId`,
    { publicCode: "ORGANIZATION_NOT_FOUND" },
  )
}

function ambiguous({ filterType }: ListFilter, field: "filterValue" | "organizationId"): ApiError {
  const advice = field === "organizationId" ? "name it in organizationId" : "log in with its organizationId"
  return new ApiError(
    GrpcCode.unauthenticated,
    `more than one suborg associated with this ${filterType}: ${advice}`,
    { publicCode: "CREDENTIAL_CONFLICT", field },
  )
}
