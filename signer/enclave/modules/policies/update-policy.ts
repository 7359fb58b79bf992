import type { UpdatePolicyIntentV2 } from "../../../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import { changePolicy } from "../../organization/policies.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { requirePolicyExpressions } from "../../activities/expressions.ts"

type Update = Omit<UpdatePolicyIntentV2, "$typeName" | "$unknown">

/** An older form without `time`; the policy keeps its time expression. */
export const updatePolicy: Activity<"updatePolicy"> = { check, run }
export const updatePolicyV2: Activity<"updatePolicy", [], "V2", "V2"> = { check, run }

function check({ policyCondition, policyConsensus, time }: Update): Steps<void> {
  return requirePolicyExpressions([
    ["condition", policyCondition, "parameters.policyCondition"],
    ["consensus", policyConsensus, "parameters.policyConsensus"],
    ["time", time, "parameters.time"],
  ])
}

function run(update: Update, { organization }: ActivityContext): { policyId: string } {
  const { policyName: name, policyEffect: effect, policyNotes: notes, time } = update
  const { policyCondition: condition, policyConsensus: consensus } = update
  const change = { name, effect, notes, condition, consensus, time }
  return { policyId: changePolicy(organization, update.policyId, change, "parameters") }
}
