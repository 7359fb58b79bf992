import type { ListUsersRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { Query } from "./query.ts"

/** All users, in the order in which they joined. */
export const listUsers: Query<ListUsersRequest> = (_request, { organization }) =>
  `{"users":[${organization.document.users.map(({ userId }) => organization.userText(userId)).join()}]}`
