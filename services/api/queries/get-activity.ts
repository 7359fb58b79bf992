import type { GetActivityRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { activityReply, requireActivity } from "../resources/activity.ts"
import type { Query } from "./shared/query.ts"

export const getActivity: Query<GetActivityRequest> = async ({ activityId }, context) =>
  activityReply(await requireActivity(activityId, context), context)
