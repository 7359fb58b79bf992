import { removeUserTags } from "../../organization/tags.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteUserTags: Activity<"deleteUserTags"> = {
  run: ({ userTagIds }, { organization }) =>
    removeUserTags(organization, userTagIds, "parameters.userTagIds"),
}
