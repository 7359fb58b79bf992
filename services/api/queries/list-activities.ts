import { ActivityTypeSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatusSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { ListActivitiesRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { activityText } from "../resources/activity.ts"
import * as store from "../store/activities.ts"
import { MAX_PAGE_BYTES, readPagination, textsOfPage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

/** Pages of activities, newest first. */
export const listActivities: Query<ListActivitiesRequest> = async (request, context) => {
  const page = readPagination(request.paginationOptions)
  const filter = {
    organizationId: context.organization.id,
    statuses: request.filterByStatus.map((status) => ActivityStatusSchema.value[status]?.name ?? ""),
    types: request.filterByType.map((type) => ActivityTypeSchema.value[type]?.name ?? ""),
  }
  const found = await store.listActivities(context.sql, filter, page, MAX_PAGE_BYTES)
  const texts = await textsOfPage(found, page, (row) => activityText(row, context), context)
  return `{"activities":[${texts.join()}]}`
}
