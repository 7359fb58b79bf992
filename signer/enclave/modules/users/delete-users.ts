import { endSessions } from "../../organization/credentials.ts"
import { removeUsers } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"
import { removeCountersOf } from "../../activities/counters.ts"

export const deleteUsers: Activity<"deleteUsers"> = {
  run({ userIds }, context) {
    const { organization } = context
    const removed = removeUsers(organization, userIds, "parameters.userIds")
    // Sessions of a deleted user no longer work; this removes their records.
    for (const userId of removed) endSessions(organization, userId)
    removeCountersOf("user", removed, context)
    return { userIds: removed }
  },
}
