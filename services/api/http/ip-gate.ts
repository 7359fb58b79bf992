import type { IpAddress, IpBlock } from "../../../signer/core/organization/ip-block.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import type { RequireAllowedAddress } from "../authentication/authenticate.ts"
import { isAdmitted } from "../authentication/ip-allowlists.ts"
import { type ClientConnection, clientAddress } from "../../common/client-address.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"

type IpGateDeps = {
  organizations: Pick<OrganizationStore, "recent" | "refresh">
  trustedProxies: readonly IpBlock[]
  /** Ids of organizations whose lists the operator has switched off, lower case. */
  unenforced: ReadonlySet<string>
}

/**
 * Enforces the IP allowlists of top-level organizations on every request with a credential of theirs, also to
 * sub-organizations. Only this tier sees client addresses, so the signer cannot enforce the lists; it keeps them.
 */
export class IpGate {
  readonly #deps: IpGateDeps

  constructor(deps: IpGateDeps) {
    this.#deps = deps
  }

  /** The check for one request. The address is read only if the organization has a list. */
  checkFor(request: ClientConnection): RequireAllowedAddress {
    const { organizations, unenforced } = this.#deps
    return async (home, credential) => {
      if (home.document.parentId !== "" || unenforced.has(home.id)) return
      const passes = ({ document }: StoredOrganization) =>
        isAdmitted(document, credential, () => this.addressOf(request))
      if (passes((await organizations.recent(home.id)) ?? home)) return
      if (passes((await organizations.refresh(home.id)) ?? home)) return
      throw addressNotAllowed()
    }
  }

  /** The caller's address; undefined: a trusted proxy did not report it. */
  addressOf(request: ClientConnection): IpAddress | undefined {
    return clientAddress(request, this.#deps.trustedProxies)
  }
}

function addressNotAllowed(): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    "request not authorized: its address is not on the organization's IP allowlist; a member of the root quorum can " +
      "remove the list from any address, with remove_ip_allowlist",
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "IP_ADDRESS_NOT_ALLOWED" },
  )
}
