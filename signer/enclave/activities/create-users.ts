import { bearUser, type UserParameters } from "./shared/users.ts"
import type { Activity, ActivityContext } from "./activity.ts"

export const createUsersV2: Activity<"createUsersIntentV2", "createUsersResult"> = {
  run: ({ users }, context) => ({ userIds: createUsers(users, context, "parameters.users") }),
}

export const createUsersV3: Activity<"createUsersIntentV3", "createUsersResult"> = {
  run: ({ users }, context) => ({ userIds: createUsers(users, context, "parameters.users") }),
}

export const createUsersV4: Activity<"createUsersIntentV4", "createUsersResult"> = {
  run: ({ users }, context) => ({ userIds: createUsers(users, context, "parameters.users") }),
}

/** Adds users; returns their ids in order. */
export function createUsers(
  users: readonly UserParameters[],
  context: ActivityContext,
  field: string,
): string[] {
  return users.map((user, index) => bearUser(user, context, `${field}[${index}]`).userId)
}
