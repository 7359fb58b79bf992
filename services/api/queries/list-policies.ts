import {
  type ListPoliciesRequest,
  ListPoliciesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { policyResource } from "../resources/policy.ts"
import type { Query } from "./shared/query.ts"

/** All policies, oldest first. */
export const listPolicies: Query<ListPoliciesRequest> = (_request, { organization }) =>
  jsonText(ListPoliciesResponseSchema, { policies: organization.document.policies.map(policyResource) })
