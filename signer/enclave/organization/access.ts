import { AccessType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"

/**
 * Requires that a user may have credentials of a kind, which the refusal names: `needed` is the access type that has them.
 * Sessions are of no kind: everybody logs in. @throws ACCESS_TYPE_EXCLUDES
 */
export function requireAccess(
  { userId, accessType }: Pick<User, "userId" | "accessType">,
  needed: AccessType,
  kind: string,
  field: string,
): void {
  const isLimited = accessType === AccessType.API || accessType === AccessType.WEB
  if (!isLimited || accessType === needed) return
  const name = accessType === AccessType.API ? "ACCESS_TYPE_API" : "ACCESS_TYPE_WEB"
  const sentence = `user ${userId} was invited with ${name}, which excludes ${kind}`
  throw refuse("ACCESS_TYPE_EXCLUDES", sentence, { field })
}
