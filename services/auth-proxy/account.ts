import type { AccountRequest } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import { requireContactProof } from "./contact-proof.ts"
import { linkAccount } from "./link-account.ts"
import type { ProxyRequest } from "./proxy-request.ts"
import { findSubOrganization, isContact } from "./sub-organization.ts"

/**
 * The sub-organization of a contact or credential; without one, the member is absent. A Google identity that no
 * sub-organization has may be linked first.
 *
 * @throws ApiError 401 where several have it; 403 for a contact without the proof that the settings ask for; CoreRefusal
 */
export async function account(
  { filterType, filterValue, verificationToken, oidcToken }: AccountRequest,
  request: Pick<ProxyRequest, "configuration" | "organization" | "nowMs">,
): Promise<object> {
  const { configuration, organization, nowMs } = request
  const { settings } = configuration
  const filter = { filterType: filterType === "PHONE" ? "PHONE_NUMBER" : filterType, filterValue }
  if (isContact(filter) && settings.verificationTokenRequiredForGetAccountPii)
    await requireContactProof({ filter, verificationToken, oidcToken, nowMs, organization }, configuration)
  const isToken = filterType === "OIDC_TOKEN"
  const organizationId =
    (await findSubOrganization(filter, organization, "filterValue")) ??
    (isToken ? await linkAccount(filterValue, request) : undefined)
  return organizationId === undefined ? {} : { organizationId }
}
