import { removeUsers } from "../organization/users.ts"
import type { Activity } from "./activity.ts"

export const deleteUsers: Activity<"deleteUsersIntent", "deleteUsersResult"> = {
  run: ({ userIds }, { organization }) => ({
    userIds: removeUsers(organization, userIds, "parameters.userIds"),
  }),
}
