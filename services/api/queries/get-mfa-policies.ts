import {
  type GetMfaPoliciesRequest,
  GetMfaPoliciesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { mfaPoliciesOf, mfaPolicyResource } from "../resources/policy.ts"
import type { Query } from "./shared/query.ts"
import { requireUser } from "../resources/user.ts"

export const getMfaPolicies: Query<GetMfaPoliciesRequest> = ({ userId }, { organization }) => {
  const mfaPolicies = mfaPoliciesOf(requireUser(organization, userId)).map(mfaPolicyResource)
  return jsonText(GetMfaPoliciesResponseSchema, { mfaPolicies })
}
