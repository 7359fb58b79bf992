import {
  type ListLoginSuborgsRequest,
  ListLoginSuborgsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { findByLoginContact } from "../store/sub-organizations.ts"
import type { Query } from "./shared/query.ts"
import { readIdentity } from "./shared/sub-organization-filter.ts"

/** Most sub-organizations that are read: two suffice to distinguish one from several. */
const LIMIT = 2

/** The sub-organizations to which a contact leads at login. */
export const listLoginSuborgs: Query<ListLoginSuborgsRequest> = async (request, { sql, organization }) => {
  const identity = readIdentity(request.filterType, request.filterValue)
  const organizationIds = await findByLoginContact(sql, organization.id, identity, LIMIT)
  return jsonText(ListLoginSuborgsResponseSchema, { organizationIds })
}
