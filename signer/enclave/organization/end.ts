import type { OrganizationDraft } from "./draft.ts"

/** The last version of an organization: its name and its end, nobody and nothing else. */
export function endOrganization(draft: OrganizationDraft): void {
  const { document } = draft
  document.users = []
  document.tags = []
  document.features = []
  document.interfaces = []
  document.policies = []
  document.sessionProfiles = []
  document.ipAllowlists = []
  delete document.rootQuorum
  document.deletedAtMs = draft.nowMs
  draft.markChanged()
}
