import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"

/** @throws ACTIVITY_CALLER_INVALID in a sub-organization */
export function requireTopLevel({ document }: Draft, operation: string): void {
  if (document.parentId !== "") throw wrongLevel(operation, "top-level organizations")
}

/** @throws ACTIVITY_CALLER_INVALID in a top-level organization */
export function requireSubOrganization({ document }: Draft, operation: string): void {
  if (document.parentId === "") throw wrongLevel(operation, "sub-organizations")
}

function wrongLevel(operation: string, served: string) {
  return refuse("ACTIVITY_CALLER_INVALID", `${operation} is for ${served} only`, { field: "organizationId" })
}

/** Names of organizations need not be unique. */
export function renameOrganization(draft: Draft, name: string): void {
  draft.document.name = name
  draft.markChanged()
}

/** Makes a version of a deleted organization that says nothing about a person: its name may be one. */
export function eraseName(draft: Draft): void {
  draft.document.name = ""
  draft.markChanged()
}

/** Makes the last version of an organization: everything but its name is removed. */
export function deleteOrganization(draft: Draft): void {
  const { document } = draft
  document.users = []
  document.tags = []
  document.features = []
  document.interfaces = []
  document.policies = []
  document.sessionProfiles = []
  document.velocityControls = []
  document.ipAllowlists = []
  delete document.rootQuorum
  delete document.authProxy
  document.deletedAtMs = draft.nowMs
  draft.markChanged()
}
