import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { notFound } from "../errors.ts"
import type { Organization } from "../authentication/stored-organization.ts"

/** @throws ApiError 404 */
export function requireUser(organization: Organization, userId: string): User {
  const user = organization.user(userId.toLowerCase())
  if (user === undefined) throw notFound(`unable to find user ${userId} in organization ${organization.id}`)
  return user
}
