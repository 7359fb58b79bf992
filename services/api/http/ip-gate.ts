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
import type { Admit } from "../authentication/authenticate.ts"
import { type Arrival, clientAddress } from "./client-address.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"

type GateParts = {
  organizations: Pick<OrganizationStore, "recent" | "refresh">
  trustedProxies: readonly IpBlock[]
}

/**
 * Enforces the IP allowlists of top-level organizations: on whoever stamps with a credential of theirs, whichever
 * organization he asks about. Only this tier sees addresses, so only this tier can; the signer keeps the lists.
 */
export class IpGate {
  readonly #parts: GateParts

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  /** The gate for one request. Its address is looked at only where there is a list. */
  of(request: Arrival): Admit {
    const { organizations, trustedProxies } = this.#parts
    return async (home, credential) => {
      if (home.document.parentId !== "") return
      const isIn = ({ document }: StoredOrganization) =>
        isAdmitted(document, credential, () => clientAddress(request, trustedProxies))
      if (isIn((await organizations.recent(home.id)) ?? home)) return
      if (isIn((await organizations.refresh(home.id)) ?? home)) return
      throw notAdmitted()
    }
  }
}

/** The key's own list where it has one that says anything, else the organization's; both only while the latter is on. */
export function isAdmitted(
  { ipAllowlists }: Pick<OrganizationDocument, "ipAllowlists">,
  credential: string,
  addressOf: () => IpAddress | undefined,
): boolean {
  const ofAll = ipAllowlists.find(({ publicKey }) => publicKey === "")
  if (ofAll === undefined || !ofAll.enabled) return true
  const own = ipAllowlists.find(({ publicKey }) => publicKey === credential)
  return holds(own?.enabled && own.blocks.length > 0 ? own : ofAll, addressOf())
}

function holds({ blocks, allowOnError }: IpAllowlist, address: IpAddress | undefined): boolean {
  if (address === undefined) return allowOnError
  return blocks.some(({ cidr }) => {
    const block = readIpBlock(cidr)
    return block !== undefined && isInBlock(address, block)
  })
}

function notAdmitted(): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    "request not authorized: it comes from an address that the organization's IP allowlist does not have",
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "IP_ADDRESS_NOT_ALLOWED" },
  )
}
