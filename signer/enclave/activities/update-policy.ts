import type { UpdatePolicyIntentV2 } from "../../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import { changePolicy } from "../organization/policies.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { requirePolicyExpressions } from "./shared/expressions.ts"

type Update = Omit<UpdatePolicyIntentV2, "$typeName" | "$unknown">

/** The older form, which knows no time: the policy keeps its own. */
export const updatePolicy: Activity<"updatePolicyIntent", "updatePolicyResult"> = {
  check: requireCompiles,
  run: change,
}

export const updatePolicyV2: Activity<"updatePolicyIntentV2", "updatePolicyResultV2"> = {
  check: requireCompiles,
  run: change,
}

function requireCompiles({ policyCondition, policyConsensus, time }: Update): void {
  requirePolicyExpressions(
    { condition: policyCondition, consensus: policyConsensus, time },
    {
      condition: "parameters.policyCondition",
      consensus: "parameters.policyConsensus",
      time: "parameters.time",
    },
  )
}

function change(update: Update, { organization }: ActivityContext): { policyId: string } {
  const wanted = {
    name: update.policyName,
    effect: update.policyEffect,
    notes: update.policyNotes,
    condition: update.policyCondition,
    consensus: update.policyConsensus,
    time: update.time,
  }
  return { policyId: changePolicy(organization, update.policyId, wanted, "parameters") }
}
