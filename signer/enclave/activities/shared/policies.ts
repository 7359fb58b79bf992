import type { CreatePolicyIntentV3 } from "../../../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import { addPolicy } from "../../organization/policies.ts"
import type { ActivityContext } from "../activity.ts"
import { requirePolicyExpressions } from "./expressions.ts"

/** @throws EXPRESSION_INVALID, EXPRESSION_FIELD_UNKNOWN, EXPRESSION_TOO_LARGE */
export function checkNewPolicy(policy: CreatePolicyIntentV3, field: string): void {
  const names = ["condition", "consensus", "time"] as const
  requirePolicyExpressions(names.map((name) => [name, policy[name], `${field}.${name}`]))
}

/** Adds a policy; returns its id. @throws NAME_TAKEN, LIMIT_EXCEEDED */
export function createPolicy(
  policy: CreatePolicyIntentV3,
  { organization, newId }: ActivityContext,
  field: string,
): string {
  const policyId = newId()
  addPolicy(organization, { ...policy, policyId, name: policy.policyName }, field)
  return policyId
}
