import {
  type GetMfaPolicyRequest,
  GetMfaPolicyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { mfaPolicyResource } from "../resources/policy.ts"
import type { Query } from "./shared/query.ts"
import { requireUser } from "../resources/user.ts"

export const getMfaPolicy: Query<GetMfaPolicyRequest> = (asked, { organization }) => {
  const user = requireUser(organization, asked.userId)
  const mfaPolicyId = asked.mfaPolicyId.toLowerCase()
  const policy = user.mfaPolicies.find((candidate) => candidate.mfaPolicyId === mfaPolicyId)
  if (policy === undefined) throw notFound(`unable to find MFA policy ${mfaPolicyId} of user ${user.userId}`)
  return jsonText(GetMfaPolicyResponseSchema, { mfaPolicy: mfaPolicyResource(policy) })
}
