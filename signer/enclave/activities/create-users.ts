import type { Activity, ActivityContext } from "./activity.ts"
import { createUsers, idsOf, type UserParameters } from "./shared/users.ts"

export const createUsersV2: Activity<"createUsers", "V2"> = { run }
export const createUsersV3: Activity<"createUsers", "V3"> = { run }
export const createUsersV4: Activity<"createUsers", "V4"> = { run }

function run({ users }: { users: readonly UserParameters[] }, context: ActivityContext) {
  return { userIds: idsOf(createUsers(users, context, "parameters.users")) }
}
