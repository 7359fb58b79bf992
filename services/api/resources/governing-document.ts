import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"

type OrganizationContext = {
  organization: Pick<StoredOrganization, "document">
  organizations: Pick<OrganizationStore, "refresh">
}

/** The document whose settings govern an organization: its own, or its parent's. Undefined: the parent is unknown. */
export async function governingDocument({
  organization,
  organizations,
}: OrganizationContext): Promise<OrganizationDocument | undefined> {
  const { parentId } = organization.document
  return parentId === "" ? organization.document : (await organizations.refresh(parentId))?.document
}
