import type { MessageInitShape } from "@bufbuild/protobuf"
import {
  type GetActivePoliciesRequest,
  GetActivePoliciesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { ActivePolicyStatusSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { compileExpression } from "../../../signer/core/policy/decision/policy-set.ts"
import { Budget, evaluate } from "../../../signer/core/policy/expression.ts"
import { timeFacts } from "../../../signer/core/policy/facts/approvals.ts"
import { TurnQueue } from "../../../signer/core/turns/turn-queue.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

type Status = MessageInitShape<typeof ActivePolicyStatusSchema>

/**
 * The state of every policy's time expression, all at one instant of this process's clock. Only the signer's own clock
 * decides on requests.
 */
export const getActivePolicies: Query<GetActivePoliciesRequest> = async (
  _request,
  { organization, nowMs },
) => {
  const statuses: Status[] = []
  for (const { policyId, time } of organization.document.policies) {
    const policy = { organizationId: organization.id, policyId }
    if (time !== undefined) await slices.turn()
    statuses.push({ ...policy, ...(time === undefined ? { active: true } : timeState(time, nowMs)) })
  }
  return jsonText(GetActivePoliciesResponseSchema, { statuses, evaluatedAtMs: String(nowMs) })
}

/** One expression in each turn of the event loop, so that an organization with many delays no other request. */
const slices = new TurnQueue({ perTurn: 1 })

function timeState(timeExpr: string, nowMs: number): Pick<Status, "active" | "timeExpr" | "error"> {
  const compiled = compileExpression(timeExpr, "time")
  if (compiled === "absent") return { active: true }
  if (compiled === "broken")
    return { active: false, timeExpr, error: "this release cannot read the time expression" }
  const evaluation = evaluate(compiled, timeFacts(nowMs), new Budget())
  if ("fault" in evaluation) return { active: false, timeExpr, error: evaluation.fault.sentence }
  return { active: evaluation.value, timeExpr }
}
