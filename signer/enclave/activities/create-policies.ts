import type { CreatePolicyIntentV3 } from "../../../proto/gen/countersign/api/v1/intents_policies_pb.ts"
import { addPolicy } from "../organization/policies.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { requirePolicyExpressions } from "./expressions.ts"

export const createPolicy: Activity<"createPolicyIntentV3", "createPolicyResult"> = {
  check: (policy) => requireCompiles(policy, "parameters"),
  run: (policy, context) => ({ policyId: add(policy, context, "parameters") }),
}

/** All of them or none. */
export const createPolicies: Activity<"createPoliciesIntent", "createPoliciesResult"> = {
  check({ policies }) {
    policies.forEach((policy, index) => requireCompiles(policy, fieldOf(index)))
  },
  run: ({ policies }, context) => ({
    policyIds: policies.map((policy, index) => add(policy, context, fieldOf(index))),
  }),
}

function fieldOf(index: number): string {
  return `parameters.policies[${index}]`
}

function requireCompiles(policy: CreatePolicyIntentV3, field: string): void {
  const { condition, consensus, time } = policy
  requirePolicyExpressions(
    { condition, consensus, time },
    {
      condition: `${field}.condition`,
      consensus: `${field}.consensus`,
      time: `${field}.time`,
    },
  )
}

function add(policy: CreatePolicyIntentV3, { organization, newId }: ActivityContext, field: string): string {
  const policyId = newId()
  addPolicy(organization, { ...policy, policyId, name: policy.policyName }, field)
  return policyId
}
