import { type WhoamiRequest, WhoamiResponseSchema } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/**
 * The stamp's user and their organization. The request may name that organization, its parent, or, for a user of the
 * parent, a sub-organization.
 */
export const whoami: Query<WhoamiRequest> = (_request, { callerOrganization: home, userId, username }) =>
  jsonText(WhoamiResponseSchema, {
    organizationId: home.id,
    organizationName: home.document.name,
    userId,
    username,
  })
