import { removePolicies } from "../../organization/policies.ts"
import type { Activity } from "../../activities/activity.ts"

export const deletePolicies: Activity<"deletePolicies"> = {
  run: ({ policyIds }, { organization }) => ({
    policyIds: removePolicies(organization, policyIds, (index) => `parameters.policyIds[${index}]`),
  }),
}
