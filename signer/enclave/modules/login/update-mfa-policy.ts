import { changeMfaPolicy } from "./mfa-policies.ts"
import type { Activity } from "../../activities/activity.ts"
import { requireSessionProfiles } from "./mfa-methods.ts"
import { requireExpression } from "../../activities/expressions.ts"

const needs = ["settings"] as const

export const updateMfaPolicy: Activity<"updateMfaPolicy", typeof needs> = {
  needs,
  check({ condition }) {
    if (condition === undefined) return
    requireExpression("mfa policy condition", "condition", condition, "parameters.condition", "needed")
  },
  run({ mfaPolicyName: name, requiredAuthenticationMethods: steps, ...update }, context) {
    requireSessionProfiles(steps, context)
    const { condition, order, notes } = update
    const change = { name, condition, order, notes, steps }
    return { mfaPolicyId: changeMfaPolicy(context.organization, update, change) }
  },
}
