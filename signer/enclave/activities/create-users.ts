import type { Activity, ActivityContext } from "./activity.ts"
import { createUsers, idsOf, type UserParameters } from "./shared/users.ts"

export const createUsersV2: Activity<"createUsersIntentV2", "createUsersResult"> = { run }
export const createUsersV3: Activity<"createUsersIntentV3", "createUsersResult"> = { run }
export const createUsersV4: Activity<"createUsersIntentV4", "createUsersResult"> = { run }

function run({ users }: { users: readonly UserParameters[] }, context: ActivityContext) {
  return { userIds: idsOf(createUsers(users, context, "parameters.users")) }
}
