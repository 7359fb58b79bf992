import { removePolicies } from "../../organization/policies.ts"
import type { Activity } from "../../activities/activity.ts"

export const deletePolicy: Activity<"deletePolicy"> = {
  run({ policyId }, { organization }) {
    const [removed = policyId] = removePolicies(organization, [policyId], () => "parameters.policyId")
    return { policyId: removed }
  },
}
