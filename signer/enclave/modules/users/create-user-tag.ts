import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { addTag, tagUsers } from "../../organization/tags.ts"
import { requireUsers } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"

export const createUserTag: Activity<"createUserTag"> = {
  run({ userTagName, userIds }, { organization, newId }) {
    const users = requireUsers(organization, userIds, "parameters.userIds")
    const created = { tagId: newId(), name: userTagName, type: TagType.USER }
    const tag = addTag(organization, created, "parameters.userTagName")
    tagUsers(organization, tag, users)
    return { userTagId: tag.tagId, userIds: users.map(({ userId }) => userId) }
  },
}
