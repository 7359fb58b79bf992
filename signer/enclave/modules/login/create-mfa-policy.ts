import { addMfaPolicy } from "./mfa-policies.ts"
import type { Activity } from "../../activities/activity.ts"
import { requireSessionProfiles } from "./mfa-methods.ts"
import { requireExpression } from "../../activities/expressions.ts"

const needs = ["settings"] as const

/** Requires further authentication of a user, for requests on which the condition holds. */
export const createMfaPolicy: Activity<"createMfaPolicy", typeof needs> = {
  needs,
  check({ condition }) {
    requireExpression("mfa policy condition", "condition", condition, "parameters.condition", "needed")
  },
  run({ userId, mfaPolicyName: name, condition, order, notes, requiredAuthenticationMethods }, context) {
    const { organization, newId } = context
    requireSessionProfiles(requiredAuthenticationMethods, context)
    const mfaPolicyId = newId()
    const policy = { mfaPolicyId, name, condition, order, notes, steps: requiredAuthenticationMethods }
    addMfaPolicy(organization, userId, policy)
    return { mfaPolicyId }
  },
}
