import { markContactProven, requireUser } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"
import { logIn } from "./login.ts"

const needs = ["credential", "session", "settings"] as const

/** Opens a session: a key that stamps for the user until it expires. @throws RESOURCE_UNKNOWN, the codes of logIn */
export const stampLogin: Activity<"stampLogin", typeof needs> = {
  needs,
  run(login, context) {
    const user = requireUser(context.organization, context.userId, "parameters")
    const { provenChannel, openedBy } = context.credential
    if (provenChannel !== undefined) markContactProven(context.organization, user, provenChannel)
    return { session: logIn(user, openedBy, login, context) }
  },
}
