import { removeOauthProviders } from "../../organization/credentials.ts"
import { requireUser } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteOauthProviders: Activity<"deleteOauthProviders"> = {
  run({ userId, providerIds }, { organization }) {
    const user = requireUser(organization, userId, "parameters.userId")
    removeOauthProviders(organization, user, providerIds, "parameters.providerIds")
    return { providerIds }
  },
}
