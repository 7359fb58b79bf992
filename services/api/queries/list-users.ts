import type { ListUsersRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { Query } from "./shared/query.ts"
import { userTexts } from "../resources/user.ts"

/** All users, oldest first. */
export const listUsers: Query<ListUsersRequest> = async (_request, context) =>
  `{"users":[${(await userTexts(context.organization.document.users, context)).join()}]}`
