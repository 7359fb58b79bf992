import type { GetActivityRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { activityReply } from "../activity.ts"
import { notFound } from "../errors.ts"
import * as store from "../store/activities.ts"
import type { Query } from "./query.ts"

export const getActivity: Query<GetActivityRequest> = async ({ activityId }, context) => {
  const row = await store.getActivity(context.sql, context.organization.id, activityId)
  if (row === undefined) {
    throw notFound(`no activity ${activityId} found in organization ${context.organization.id}`)
  }
  return activityReply(row, context)
}
