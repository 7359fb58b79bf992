import type { User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../refusal.ts"
import { requireStamp, schemeFits } from "../stamp/index.ts"
import { findHolder, type Place } from "./holder.ts"
import type { Request } from "./request.ts"

/**
 * The user whose key stamped the body.
 *
 * @throws CREDENTIAL_UNKNOWN, STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_INVALID
 */
export function authenticate({ stamp, body }: Request, place: Place, nowMs: number): User {
  const holder = findHolder(place, stamp.publicKeyHex)
  if (holder === undefined) {
    throw refuse(
      "CREDENTIAL_UNKNOWN",
      "could not find public key in organization or its parent organization: " +
        `organizationId=${place.organization.id} publicKey=${stamp.publicKeyHex}`,
    )
  }
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
