import {
  type GetOrganizationConfigsRequest,
  GetOrganizationConfigsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { featureResource, quorumResource } from "../resources/organization.ts"
import type { Query } from "./shared/query.ts"

/** Features and root quorum. */
export const getOrganizationConfigs: Query<GetOrganizationConfigsRequest> = (_request, { organization }) => {
  const { features, rootQuorum } = organization.document
  return jsonText(GetOrganizationConfigsResponseSchema, {
    configs: { features: features.map(featureResource), quorum: quorumResource(rootQuorum) },
  })
}
