import type { Activity } from "../../activities/activity.ts"
import { changeUser } from "../../activities/new-users.ts"

export const updateUser: Activity<"updateUser"> = { run: changeUser }
