import type { Activity } from "./activity.ts"
import { createUsers } from "./create-users.ts"

/** Older than create_users, and still sent: users with P-256 keys and nothing else to stamp with. */
export const createApiOnlyUsers: Activity<"createApiOnlyUsersIntent", "createApiOnlyUsersResult"> = {
  run: ({ apiOnlyUsers }, context) => ({
    userIds: createUsers(apiOnlyUsers, context, "parameters.apiOnlyUsers"),
  }),
}
