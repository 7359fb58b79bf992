import type { ListAppProofsRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { requireActivity } from "../resources/activity.ts"
import type { Query } from "./shared/query.ts"

/** App proofs of an activity; none if its request did not ask for them. */
export const listAppProofs: Query<ListAppProofsRequest> = async ({ activityId }, context) => {
  const { appProofs } = await requireActivity(activityId, context)
  return `{"appProofs":${appProofs ?? "[]"}}`
}
