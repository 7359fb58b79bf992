import type { Activity } from "./activity.ts"

export const deleteApiKeys: Activity<"deleteApiKeysIntent", "deleteApiKeysResult"> = {
  run({ userId, apiKeyIds }, { organization }) {
    const user = organization.requireUser(userId, "parameters.userId")
    organization.removeApiKeys(user, apiKeyIds, "parameters.apiKeyIds")
    return { apiKeyIds }
  },
}
