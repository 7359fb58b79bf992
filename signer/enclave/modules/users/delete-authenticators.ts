import { removeAuthenticators } from "../../organization/credentials.ts"
import { requireUser } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteAuthenticators: Activity<"deleteAuthenticators"> = {
  run({ userId, authenticatorIds }, { organization }) {
    const user = requireUser(organization, userId, "parameters.userId")
    removeAuthenticators(organization, user, authenticatorIds, "parameters.authenticatorIds")
    return { authenticatorIds }
  },
}
