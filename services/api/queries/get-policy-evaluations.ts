import {
  type GetPolicyEvaluationsRequest,
  GetPolicyEvaluationsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { timestamp } from "../resources/time.ts"
import { requireActivity } from "../resources/activity.ts"
import { withPolicyIds } from "../store/policy-lists.ts"
import type { Query } from "./shared/query.ts"

/**
 * Outcomes of the policies at each vote, oldest vote first. An evaluation has the id of its vote. Its list is empty if no
 * policy was evaluated.
 */
export const getPolicyEvaluations: Query<GetPolicyEvaluationsRequest> = async ({ activityId }, context) => {
  const row = await requireActivity(activityId, context)
  const votes = await withPolicyIds(context.sql, row)
  const policyEvaluations = votes.map(({ id, createdMs, policyOutcomes = [] }) => ({
    id,
    activityId: row.id,
    organizationId: row.organizationId,
    voteId: id,
    policyEvaluations: policyOutcomes.map(([policyId, outcome]) => ({ policyId, outcome })),
    createdAt: timestamp(BigInt(createdMs)),
  }))
  return jsonText(GetPolicyEvaluationsResponseSchema, { policyEvaluations })
}
