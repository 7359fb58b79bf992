import type { Activity } from "../../activities/activity.ts"
import { changeUser } from "../../activities/new-users.ts"

export const updateUserName: Activity<"updateUserName"> = { run: changeUser }
