import type { Activity } from "./activity.ts"
import { createUsers, idsOf } from "./shared/users.ts"

/** An older form of create_users for users with P-256 keys only; published clients still send it. */
export const createApiOnlyUsers: Activity<"createApiOnlyUsers"> = {
  run: ({ apiOnlyUsers }, context) => ({
    userIds: idsOf(createUsers(apiOnlyUsers, context, "parameters.apiOnlyUsers")),
  }),
}
