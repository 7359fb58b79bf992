import type { LongActivity } from "../../activities/activity.ts"
import { createKeyUser } from "../../activities/new-users.ts"

/** An older form of create_users for users with P-256 keys only; published clients still send it. */
export const createApiOnlyUsers: LongActivity<"createApiOnlyUsers"> = {
  *run({ apiOnlyUsers }, context) {
    const userIds: string[] = []
    for (const [index, user] of apiOnlyUsers.entries())
      userIds.push((yield* createKeyUser(user, context, `parameters.apiOnlyUsers[${index}]`)).userId)
    return { userIds }
  },
}
