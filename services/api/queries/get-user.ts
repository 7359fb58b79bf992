import type { GetUserRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { Query } from "./shared/query.ts"
import { requireUser, userTexts } from "../resources/user.ts"

/** One user, with their sessions among their API keys. */
export const getUser: Query<GetUserRequest> = async ({ userId }, context) => {
  const [text] = await userTexts([requireUser(context.organization, userId)], context)
  return `{"user":${text}}`
}
