import { renameOrganization } from "../../organization/lifecycle.ts"
import type { Activity } from "../../activities/activity.ts"

export const updateOrganizationName: Activity<"updateOrganizationName"> = {
  run({ organizationName }, { organization }) {
    renameOrganization(organization, organizationName)
    return { organizationId: organization.id, organizationName }
  },
}
