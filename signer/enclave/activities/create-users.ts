import type { ActivityContext, LongActivity } from "./activity.ts"
import { createUsers, idsOf, type UserParameters } from "./shared/users.ts"

export const createUsersV2: LongActivity<"createUsers", "V2"> = { run }
export const createUsersV3: LongActivity<"createUsers", "V3"> = { run }
export const createUsersV4: LongActivity<"createUsers", "V4"> = { run }

function* run({ users }: { users: readonly UserParameters[] }, context: ActivityContext) {
  return { userIds: idsOf(yield* createUsers(users, context, "parameters.users")) }
}
