import { setTagsOfUser } from "../organization/tags.ts"
import { renameUser, requireUser, setEmail, setPhoneNumber } from "../organization/users.ts"
import type { Activity } from "./activity.ts"

/** Absent members stay unchanged. An empty list of tags counts as absent: protobuf does not distinguish them. */
export const updateUser: Activity<"updateUser"> = {
  run({ userId, userName, userEmail, userPhoneNumber, userTagIds }, { organization }) {
    const user = requireUser(organization, userId, "parameters.userId")
    if (userName !== undefined) renameUser(organization, user, userName, "parameters.userName")
    if (userEmail !== undefined) setEmail(organization, user, userEmail)
    if (userPhoneNumber !== undefined) setPhoneNumber(organization, user, userPhoneNumber)
    if (userTagIds.length > 0) setTagsOfUser(organization, user, userTagIds, "parameters.userTagIds")
    return { userId }
  },
}
