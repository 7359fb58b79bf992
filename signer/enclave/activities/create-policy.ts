import type { Activity } from "./activity.ts"
import { checkNewPolicy, createPolicy } from "./shared/policies.ts"

export const createPolicyV3: Activity<"createPolicy", [], "V3"> = {
  check: (policy) => checkNewPolicy(policy, "parameters"),
  run: (policy, context) => ({ policyId: createPolicy(policy, context, "parameters") }),
}
