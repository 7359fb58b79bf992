import type { ListAppProofsRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import * as store from "../store/activities.ts"
import type { Query } from "./shared/query.ts"

/** Empty where nobody asked for proofs of the activity. */
export const listAppProofs: Query<ListAppProofsRequest> = async ({ activityId }, { sql, organization }) => {
  const row = await store.getActivity(sql, organization.id, activityId)
  if (row === undefined) throw notFound(`no activity ${activityId} found in organization ${organization.id}`)
  return `{"appProofs":${row.appProofs ?? "[]"}}`
}
