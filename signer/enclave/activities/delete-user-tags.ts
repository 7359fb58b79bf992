import { removeUserTags } from "../organization/user-tags.ts"
import type { Activity } from "./activity.ts"

export const deleteUserTags: Activity<"deleteUserTagsIntent", "deleteUserTagsResult"> = {
  run: ({ userTagIds }, { organization }) =>
    removeUserTags(organization, userTagIds, "parameters.userTagIds"),
}
