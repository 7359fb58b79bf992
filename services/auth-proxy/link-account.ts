import { linkableAddress } from "../../signer/core/auth-proxy/linking.ts"
import { type IdToken, readIdToken } from "../../signer/core/oidc/token.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { NIL_UUID } from "../../signer/core/uuid.ts"
import { isIssuerOn } from "./auth-methods.ts"
import { CoreRefusal } from "./core-refusal.ts"
import type { ProxyRequest } from "./proxy-request.ts"
import { findSubOrganization, listProvenSubOrganizations } from "./sub-organization.ts"

type LinkRequest = Pick<ProxyRequest, "configuration" | "organization">

/**
 * Links a new Google identity to the user who has proven its address in exactly one sub-organization: published clients
 * look an identity up before they log in or sign up. Undefined: it stays without organization. The signer verifies the
 * token and every condition; a token that it refuses is of nobody.
 *
 * @throws CoreRefusal, ApiError 503
 */
export async function linkAccount(oidcToken: string, request: LinkRequest): Promise<string | undefined> {
  const { configuration, organization } = request
  const { settings, oidcIssuer } = configuration
  const token = readToken(oidcToken)
  const address = token && linkableAddress(token, settings)
  if (address === undefined || !isIssuerOn(settings, token?.claims ?? {}, oidcIssuer)) return undefined
  const found = await listProvenSubOrganizations({ filterType: "EMAIL", filterValue: address }, organization)
  const [organizationId, another] = found
  if (organizationId === undefined || another !== undefined) return undefined
  const parameters = { userId: NIL_UUID, oauthProviders: [{ providerName: "Google", oidcToken }] }
  const type = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
  try {
    await organization.submit("create_oauth_providers", type, parameters, { organizationId })
    return organizationId
  } catch (error) {
    if (!(error instanceof CoreRefusal)) throw error
    // The same page may have asked twice at once.
    const linked = await findSubOrganization(
      { filterType: "OIDC_TOKEN", filterValue: oidcToken },
      organization,
      "filterValue",
    )
    if (linked !== undefined || error.reason === "INVALID_OIDC_TOKEN") return linked
    throw error
  }
}

function readToken(oidcToken: string): IdToken | undefined {
  try {
    return readIdToken(oidcToken, "filterValue")
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
