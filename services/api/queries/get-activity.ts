import type { GetActivityRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { activityReply } from "../resources/activity.ts"
import { notFound } from "../errors.ts"
import * as store from "../store/activities.ts"
import type { Query, QueryContext } from "./shared/query.ts"

export const getActivity: Query<GetActivityRequest> = async ({ activityId }, context) =>
  activityReply(await requireActivity(activityId, context), context)

/** @throws ApiError 404 */
export async function requireActivity(
  activityId: string,
  { sql, organization }: QueryContext,
): Promise<store.ActivityRow> {
  const row = await store.getActivity(sql, organization.id, activityId)
  if (row !== undefined) return row
  throw notFound(`no activity ${activityId} found in organization ${organization.id}`)
}
