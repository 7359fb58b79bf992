import {
  type ListSuborgsRequest,
  ListSuborgsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listSubOrganizations } from "../store/sub-organizations.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"
import { readFilter } from "./shared/sub-organization-filter.ts"

/** Pages of ids of matching sub-organizations, oldest first. Contacts may be unverified. */
export const listSuborgs: Query<ListSuborgsRequest> = async (request, { sql, organization }) => {
  const page = readPagination(request.paginationOptions)
  const found = await listSubOrganizations(sql, organization.id, readFilter(request), page)
  return jsonText(ListSuborgsResponseSchema, { organizationIds: requirePage(found) })
}
