import {
  type GetOrganizationHeadRequest,
  GetOrganizationHeadResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { hex } from "../store/activity-row.ts"
import { logHeadMembers } from "./shared/log-head.ts"
import type { Query } from "./shared/query.ts"

/** The signer's own statement. The database is not asked: it may be behind. */
export const getOrganizationHead: Query<GetOrganizationHeadRequest> = async ({ nonce }, context) => {
  const { signer, log, organization } = context
  const { statement, signature } = await signer.getOrganizationHead(
    organization.id,
    Buffer.from(nonce, "hex"),
  )
  return jsonText(GetOrganizationHeadResponseSchema, {
    statement: hex(statement),
    signature: hex(signature),
    ...logHeadMembers(await log.head()),
  })
}
