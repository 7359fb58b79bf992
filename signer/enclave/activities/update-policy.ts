import type { UpdatePolicyIntentV2 } from "../../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import { changePolicy } from "../organization/policies.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { requirePolicyExpressions } from "./shared/policies.ts"

type Update = Omit<UpdatePolicyIntentV2, "$typeName" | "$unknown">

/** An older form without `time`; the policy keeps its time expression. */
export const updatePolicy: Activity<"updatePolicy"> = { check, run }
export const updatePolicyV2: Activity<"updatePolicy", "V2", "V2"> = { check, run }

function check({ policyCondition, policyConsensus, time }: Update): void {
  requirePolicyExpressions([
    ["condition", policyCondition, "parameters.policyCondition"],
    ["consensus", policyConsensus, "parameters.policyConsensus"],
    ["time", time, "parameters.time"],
  ])
}

function run(update: Update, { organization }: ActivityContext): { policyId: string } {
  const change = {
    name: update.policyName,
    effect: update.policyEffect,
    notes: update.policyNotes,
    condition: update.policyCondition,
    consensus: update.policyConsensus,
    time: update.time,
  }
  return { policyId: changePolicy(organization, update.policyId, change, "parameters") }
}
