import type {
  IpAllowlist,
  OrganizationDocument,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  type IpAddress,
  type IpBlock,
  isInBlock,
  readIpBlock,
} from "../../../signer/core/organization/ip-block.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import type { RequireAllowedAddress } from "../authentication/authenticate.ts"
import { type ClientConnection, clientAddress } from "./client-address.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"

type IpGateDeps = {
  organizations: Pick<OrganizationStore, "recent" | "refresh">
  trustedProxies: readonly IpBlock[]
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
    const { organizations, trustedProxies } = this.#deps
    return async (home, credential) => {
      if (home.document.parentId !== "") return
      const passes = ({ document }: StoredOrganization) =>
        isAdmitted(document, credential, () => clientAddress(request, trustedProxies))
      if (passes((await organizations.recent(home.id)) ?? home)) return
      if (passes((await organizations.refresh(home.id)) ?? home)) return
      throw addressNotAllowed()
    }
  }
}

/** A key's own enabled list replaces the organization's. Neither applies while the organization's list is off. */
export function isAdmitted(
  { ipAllowlists }: Pick<OrganizationDocument, "ipAllowlists">,
  credential: string,
  addressOf: () => IpAddress | undefined,
): boolean {
  const shared = ipAllowlists.find(({ publicKey }) => publicKey === "")
  if (shared === undefined || !shared.enabled) return true
  const own = ipAllowlists.find(({ publicKey }) => publicKey === credential)
  return allows(own?.enabled && own.blocks.length > 0 ? own : shared, addressOf())
}

function allows({ blocks, allowOnError }: IpAllowlist, address: IpAddress | undefined): boolean {
  if (address === undefined) return allowOnError
  return blocks.some(({ cidr }) => {
    const block = readIpBlock(cidr)
    return block !== undefined && isInBlock(address, block)
  })
}

function addressNotAllowed(): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    "request not authorized: its address is not on the organization's IP allowlist",
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "IP_ADDRESS_NOT_ALLOWED" },
  )
}
