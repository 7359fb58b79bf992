import { endSessions } from "../organization/sessions.ts"
import { removeUsers } from "../organization/users.ts"
import type { Activity } from "./activity.ts"

export const deleteUsers: Activity<"deleteUsersIntent", "deleteUsersResult"> = {
  run({ userIds }, { organization }) {
    const removed = removeUsers(organization, userIds, "parameters.userIds")
    // Void already, for they are looked up with their user: this clears away what is left of them.
    for (const userId of removed) endSessions(organization, userId)
    return { userIds: removed }
  },
}
