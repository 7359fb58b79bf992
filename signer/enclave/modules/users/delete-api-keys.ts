import { removeApiKeys } from "../../organization/credentials.ts"
import { requireUser } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteApiKeys: Activity<"deleteApiKeys"> = {
  run({ userId, apiKeyIds }, { organization }) {
    const user = requireUser(organization, userId, "parameters.userId")
    removeApiKeys(organization, user, apiKeyIds, "parameters.apiKeyIds")
    return { apiKeyIds }
  },
}
