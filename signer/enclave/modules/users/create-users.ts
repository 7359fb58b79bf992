import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { createUsers, idsOf, type UserParameters } from "../../activities/new-users.ts"

const needs = ["issuer", "settings"] as const

export const createUsersV2: LongActivity<"createUsers", typeof needs, "V2"> = { needs, run }
export const createUsersV3: LongActivity<"createUsers", typeof needs, "V3"> = { needs, run }
export const createUsersV4: LongActivity<"createUsers", typeof needs, "V4"> = { needs, run }

function* run({ users }: { users: readonly UserParameters[] }, context: ActivityContext<typeof needs>) {
  return { userIds: idsOf(yield* createUsers(users, context, "parameters.users")) }
}
