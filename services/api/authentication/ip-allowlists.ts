import type {
  IpAllowlist,
  OrganizationDocument,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type IpAddress, isInBlock, readIpBlock } from "../../../signer/core/organization/ip-block.ts"

/** The members of an organization's list that decide who is admitted. */
export type AdmissionList = Pick<IpAllowlist, "publicKey" | "enabled" | "allowOnError"> & {
  readonly blocks: readonly { readonly cidr: string }[]
}

/** Members of an organization that decide who is admitted. */
export type AdmissionRules = {
  readonly ipAllowlists: readonly AdmissionList[]
  readonly authProxy?: { readonly publicKey: string } | undefined
}

/**
 * A key's own enabled list replaces the organization's. Neither applies while the organization's list is off. Neither applies
 * to the key of its auth proxy, whose requests come from the proxy's address on behalf of end users.
 */
export function isAdmitted(
  { ipAllowlists, authProxy }: AdmissionRules,
  credential: string,
  addressOf: () => IpAddress | undefined,
): boolean {
  if (credential !== "" && authProxy?.publicKey === credential) return true
  const shared = ipAllowlists.find(({ publicKey }) => publicKey === "")
  if (shared === undefined || !shared.enabled) return true
  const own = ipAllowlists.find(({ publicKey }) => publicKey === credential)
  return allows(own?.enabled && own.blocks.length > 0 ? own : shared, addressOf())
}

/** True if any list of the organization is enforced now. */
export function hasEnforcedList({ ipAllowlists }: Pick<OrganizationDocument, "ipAllowlists">): boolean {
  return ipAllowlists.some(({ publicKey, enabled }) => publicKey === "" && enabled)
}

function allows({ blocks, allowOnError }: AdmissionList, address: IpAddress | undefined): boolean {
  if (address === undefined) return allowOnError
  return blocks.some(({ cidr }) => {
    const block = readIpBlock(cidr)
    return block !== undefined && isInBlock(address, block)
  })
}
