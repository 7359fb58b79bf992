import {
  type GetSessionProfilesRequest,
  GetSessionProfilesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { sessionProfileResource, sessionProfilesOf } from "../resources/session-profile.ts"
import type { Query } from "./shared/query.ts"

/** All session profiles that logins to the organization may name, oldest first. */
export const getSessionProfiles: Query<GetSessionProfilesRequest> = async (_request, context) => {
  const profiles = await sessionProfilesOf(context)
  return jsonText(GetSessionProfilesResponseSchema, { sessionProfiles: profiles.map(sessionProfileResource) })
}
