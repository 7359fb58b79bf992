import type { OrganizationDraft } from "./draft.ts"

/** Names of organizations are for people: any number may have the same. */
export function renameOrganization(draft: OrganizationDraft, name: string): void {
  draft.document.name = name
  draft.markChanged()
}
