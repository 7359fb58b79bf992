import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { renameTag, requireTag, tagUsers, untagUsers } from "../../organization/tags.ts"
import { requireUsers } from "../../organization/users.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Activity } from "../../activities/activity.ts"

export const updateUserTag: Activity<"updateUserTag"> = {
  run({ userTagId, newUserTagName, addUserIds, removeUserIds }, { organization }) {
    const tag = requireTag(organization, TagType.USER, userTagId, "parameters.userTagId")
    const added = requireUsers(organization, addUserIds, "parameters.addUserIds")
    const removed = requireUsers(organization, removeUserIds, "parameters.removeUserIds")
    const both = added.find((user) => removed.includes(user))
    if (both !== undefined) {
      const sentence = `user ${both.userId} is in both addUserIds and removeUserIds`
      throw refuse("REQUEST_INVALID", sentence, { field: "parameters.removeUserIds" })
    }
    if (newUserTagName !== undefined)
      renameTag(organization, tag, newUserTagName, "parameters.newUserTagName")
    tagUsers(organization, tag, added)
    untagUsers(organization, tag, removed)
    return { userTagId }
  },
}
