import type { GetUserRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { Query } from "./query.ts"
import { requireUser } from "./users.ts"

/** One user, from the text that votes are shown with as well. */
export const getUser: Query<GetUserRequest> = ({ userId }, { organization }) =>
  `{"user":${organization.userText(requireUser(organization, userId).userId)}}`
