import type { SessionProfile } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { QueryContext } from "../queries/shared/query.ts"

/** Those that logins to the organization may name: its own, or its parent's. */
export async function sessionProfilesOf({
  organization,
  organizations,
}: Pick<QueryContext, "organization" | "organizations">): Promise<readonly SessionProfile[]> {
  const { parentId, sessionProfiles } = organization.document
  if (parentId === "") return sessionProfiles
  return (await organizations.refresh(parentId))?.document.sessionProfiles ?? []
}
