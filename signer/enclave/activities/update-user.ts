import { setTagsOfUser } from "../organization/user-tags.ts"
import { renameUser, requireUser, setEmail, setPhoneNumber } from "../organization/users.ts"
import type { Activity } from "./activity.ts"

/** What is absent stays. A list cannot be absent in the request's message: an empty one changes no tags. */
export const updateUser: Activity<"updateUserIntent", "updateUserResult"> = {
  run({ userId, userName, userEmail, userPhoneNumber, userTagIds }, { organization }) {
    const user = requireUser(organization, userId, "parameters.userId")
    if (userName !== undefined) renameUser(organization, user, userName, "parameters.userName")
    if (userEmail !== undefined) setEmail(organization, user, userEmail)
    if (userPhoneNumber !== undefined) setPhoneNumber(organization, user, userPhoneNumber)
    if (userTagIds.length > 0) setTagsOfUser(organization, user, userTagIds, "parameters.userTagIds")
    return { userId }
  },
}
