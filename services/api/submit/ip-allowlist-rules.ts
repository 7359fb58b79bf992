import type { SetIpAllowlistIntent } from "../../../proto/gen/countersign/api/v1/intents/organization_pb.ts"
import { type IpAddress, readIpBlock, writeIpBlock } from "../../../signer/core/organization/ip-block.ts"
import { hasEnforcedList, isAdmitted } from "../authentication/ip-allowlists.ts"
import { invalid } from "../errors.ts"
import type { Database } from "../../database/database.ts"
import type { CallerRequest } from "./request.ts"
import { findTarget } from "./vote-target.ts"

/**
 * Refuses a list that would refuse its own caller's next request: nobody could correct a mistyped block from there. Only
 * this tier knows addresses, so only it can refuse. The stamped member `excludeCaller` says that it is meant.
 *
 * @throws ApiError IP_ALLOWLIST_EXCLUDES_CALLER
 */
export function requireOwnAddress({ submission, stamp, caller, addressOf }: CallerRequest): void {
  if (submission.activity.path !== "set_ip_allowlist") return
  const list = submission.parameters as unknown as SetIpAllowlistIntent
  const { document } = caller.organization
  // The signer refuses lists of sub-organizations and invalid blocks, with reasons of its own.
  if (list.excludeCaller === true || document.parentId !== "" || !list.rules.every(isBlock)) return
  const publicKey = list.publicKey?.toLowerCase() ?? ""
  const added = {
    publicKey,
    enabled: list.enabled ?? true,
    allowOnError: list.onEvaluationError === "ALLOW",
    blocks: list.rules,
  }
  const others = document.ipAllowlists.filter((other) => other.publicKey !== publicKey)
  if (!isAdmitted({ ipAllowlists: [...others, added] }, stamp.credential, addressOf))
    throw excludesCaller(addressOf())
}

/**
 * True if a request is admitted from any address: a member of the root quorum removes a list, or approves that. A list
 * would otherwise lock out for good an organization whose addresses have changed.
 */
export async function isRemovalByQuorum(
  { submission, caller }: CallerRequest,
  sql: Database,
): Promise<boolean> {
  const { document } = caller.organization
  if (!hasEnforcedList(document) || !document.rootQuorum?.userIds.includes(caller.owner.user.userId))
    return false
  if (submission.activity.path !== "approve_activity") return submission.activity.type === REMOVAL
  return (await findTarget(sql, submission))?.type === REMOVAL
}

const REMOVAL = "ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST"

function isBlock({ cidr }: { cidr: string }): boolean {
  return readIpBlock(cidr) !== undefined
}

function excludesCaller(address: IpAddress | undefined) {
  const own = address && writeIpBlock({ bits: address.bits, first: address.value, prefix: address.bits })
  const sentence =
    own === undefined
      ? "the list would refuse your own requests, whose address is unknown here: set onEvaluationError to ALLOW"
      : `the list would refuse your own requests, which come from ${own.replace(/\/.*$/, "")}: add ${own}`
  const reason = "IP_ALLOWLIST_EXCLUDES_CALLER"
  return invalid(`${sentence}, or set excludeCaller to true if you mean it`, "parameters.rules", reason)
}
