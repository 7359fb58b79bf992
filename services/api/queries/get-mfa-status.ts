import type { GetMfaStatusRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { requireActivity } from "../resources/activity.ts"
import type { Query } from "./shared/query.ts"

/** MFA progress of an activity's users, as of its latest vote. */
export const getMfaStatus: Query<GetMfaStatusRequest> = async ({ activityId, userId }, context) => {
  const row = await requireActivity(activityId, context)
  const asked = userId?.toLowerCase()
  const { mfaStatuses = [] } = row.votes.at(-1) ?? {}
  const shown = mfaStatuses.filter((status) => asked === undefined || status.userId === asked)
  return JSON.stringify({ mfaStatuses: shown })
}
