import {
  type GetPolicyRequest,
  GetPolicyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { policyResource } from "../resources/policy.ts"
import type { Query } from "./shared/query.ts"

export const getPolicy: Query<GetPolicyRequest> = (asked, { organization: { document, id } }) => {
  const policyId = asked.policyId.toLowerCase()
  const policy = document.policies.find((candidate) => candidate.policyId === policyId)
  if (policy === undefined) throw notFound(`unable to find policy ${policyId} in organization ${id}`)
  return jsonText(GetPolicyResponseSchema, { policy: policyResource(policy) })
}
