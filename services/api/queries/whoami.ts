import { type WhoamiRequest, WhoamiResponseSchema } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../json-text.ts"
import type { Query } from "./query.ts"

/** Organization and user behind the stamp; who asks with the parent's id is found where his key is. */
export const whoami: Query<WhoamiRequest> = (_request, { organization, userId, username }) =>
  jsonText(WhoamiResponseSchema, {
    organizationId: organization.id,
    organizationName: organization.document.name,
    userId,
    username,
  })
