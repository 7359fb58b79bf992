import type { Activity } from "../../activities/activity.ts"
import { checkNewPolicy, createPolicy } from "../../activities/expressions.ts"

/** Creates all of the policies or none. */
export const createPolicies: Activity<"createPolicies"> = {
  *check({ policies }) {
    for (const [index, policy] of policies.entries()) yield* checkNewPolicy(policy, fieldOf(index))
  },
  run: ({ policies }, context) => ({
    policyIds: policies.map((policy, index) => createPolicy(policy, context, fieldOf(index))),
  }),
}

function fieldOf(index: number): string {
  return `parameters.policies[${index}]`
}
