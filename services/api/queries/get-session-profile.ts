import {
  type GetSessionProfileRequest,
  GetSessionProfileResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { sessionProfileResource, sessionProfilesOf } from "../resources/session-profile.ts"
import type { Query } from "./shared/query.ts"

export const getSessionProfile: Query<GetSessionProfileRequest> = async (asked, context) => {
  const id = asked.sessionProfileId.toLowerCase()
  const profile = (await sessionProfilesOf(context)).find(({ sessionProfileId }) => sessionProfileId === id)
  if (profile === undefined) {
    throw notFound(`unable to find session profile ${id} in organization ${context.organization.id}`)
  }
  return jsonText(GetSessionProfileResponseSchema, { sessionProfile: sessionProfileResource(profile) })
}
