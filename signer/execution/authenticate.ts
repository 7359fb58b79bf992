import type { User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../refusal.ts"
import { requireStamp, schemeFits, type Stamp } from "../stamp/index.ts"
import type { Organization } from "../organization/organization.ts"
import { findHolder, type Place } from "./holder.ts"
import type { Request } from "./request.ts"

/**
 * The user whose key stamped the body. `openParent` opens the organization's parent: only to say what is wrong.
 *
 * @throws CREDENTIAL_UNKNOWN, ORGANIZATION_MISMATCH, STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_INVALID
 */
export function authenticate(
  { stamp, body }: Request,
  place: Place,
  nowMs: number,
  openParent: (parentId: string) => Organization,
): User {
  const holder = findHolder(place, stamp.publicKeyHex)
  if (holder === undefined) throw noHolder(stamp, place, openParent)
  const { user, apiKey } = holder
  if (!schemeFits(stamp.scheme, apiKey.type)) {
    throw refuse("STAMP_SCHEME_MISMATCH", `the credential does not stamp with ${stamp.scheme}`)
  }
  if (apiKey.expiresAtMs !== 0n && apiKey.expiresAtMs <= BigInt(nowMs)) {
    throw refuse(
      "CREDENTIAL_EXPIRED",
      `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey=${apiKey.publicKey}`,
    )
  }
  requireStamp(stamp, body)
  return user
}

/** A parent reads its sub-organizations; what it asks them to do is refused by a name of its own. */
function noHolder(
  { publicKeyHex }: Stamp,
  { organization: { id, document }, sessions }: Place,
  openParent: (parentId: string) => Organization,
) {
  const parent = document.parentId === "" ? undefined : openParent(document.parentId)
  if (parent !== undefined && findHolder({ organization: parent, sessions }, publicKeyHex) !== undefined) {
    return refuse(
      "ORGANIZATION_MISMATCH",
      `organization mismatch: request is targeting organization ("${id}"), but voters are in organization ` +
        `("${parent.id}")`,
      { field: "organizationId" },
    )
  }
  return refuse(
    "CREDENTIAL_UNKNOWN",
    "could not find public key in organization or its parent organization: " +
      `organizationId=${id} publicKey=${publicKeyHex}`,
  )
}
