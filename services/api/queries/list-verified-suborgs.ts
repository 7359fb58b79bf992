import {
  type ListVerifiedSuborgsRequest,
  ListVerifiedSuborgsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listSubOrganizations } from "../store/sub-organizations.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"
import { readVerifiedFilter } from "./shared/sub-organization-filter.ts"

/** As list_suborgs, for verified contacts only. */
export const listVerifiedSuborgs: Query<ListVerifiedSuborgsRequest> = async (
  request,
  { sql, organization },
) => {
  const page = readPagination(request.paginationOptions)
  const found = await listSubOrganizations(sql, organization.id, readVerifiedFilter(request), page)
  return jsonText(ListVerifiedSuborgsResponseSchema, { organizationIds: requirePage(found) })
}
