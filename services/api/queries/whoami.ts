import { type WhoamiRequest, WhoamiResponseSchema } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/**
 * The user behind the stamp, in the organization that he is a user of: whether he named that, its parent or, as a
 * user of the parent, a sub-organization.
 */
export const whoami: Query<WhoamiRequest> = (_request, { home, userId, username }) =>
  jsonText(WhoamiResponseSchema, {
    organizationId: home.id,
    organizationName: home.document.name,
    userId,
    username,
  })
