import { renameUser, requireUser } from "../organization/users.ts"
import type { Activity } from "./activity.ts"

export const updateUserName: Activity<"updateUserName"> = {
  run({ userId, userName }, { organization }) {
    const user = requireUser(organization, userId, "parameters.userId")
    renameUser(organization, user, userName, "parameters.userName")
    return { userId }
  },
}
