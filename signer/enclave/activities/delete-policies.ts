import { removePolicies } from "../organization/policies.ts"
import type { Activity } from "./activity.ts"

export const deletePolicies: Activity<"deletePoliciesIntent", "deletePoliciesResult"> = {
  run: ({ policyIds }, { organization }) => ({
    policyIds: removePolicies(organization, policyIds, (index) => `parameters.policyIds[${index}]`),
  }),
}
