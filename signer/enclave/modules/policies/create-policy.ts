import type { Activity } from "../../activities/activity.ts"
import { checkNewPolicy, createPolicy } from "../../activities/expressions.ts"

export const createPolicyV3: Activity<"createPolicy", [], "V3"> = {
  check: (policy) => checkNewPolicy(policy, "parameters"),
  run: (policy, context) => ({ policyId: createPolicy(policy, context, "parameters") }),
}
