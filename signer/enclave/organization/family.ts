import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"

/** Sub-organizations do not nest. @throws ACTIVITY_CALLER_INVALID */
export function requireTopLevel({ document }: OrganizationDraft, operation: string): void {
  if (document.parentId === "") return
  throw refuse("ACTIVITY_CALLER_INVALID", `${operation} is for top-level organizations only`, {
    field: "organizationId",
  })
}

/** @throws ACTIVITY_CALLER_INVALID */
export function requireSubOrganization({ document }: OrganizationDraft, operation: string): void {
  if (document.parentId !== "") return
  throw refuse("ACTIVITY_CALLER_INVALID", `${operation} is for sub-organizations only`, {
    field: "organizationId",
  })
}
