import { markContactProven, requireUser } from "../organization/users.ts"
import type { Activity } from "./activity.ts"
import { logIn } from "./shared/login.ts"

/** Opens a session: a key that stamps for the user until it expires. @throws RESOURCE_UNKNOWN, the codes of logIn */
export const stampLogin: Activity<"stampLogin"> = {
  run(login, context) {
    const user = requireUser(context.organization, context.userId, "parameters")
    const { provenChannel } = context
    if (provenChannel !== undefined) markContactProven(context.organization, user, provenChannel)
    return { session: logIn(user, context.openedBy, login, context) }
  },
}
