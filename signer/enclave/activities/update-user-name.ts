import type { Activity } from "./activity.ts"
import { changeUser } from "./shared/users.ts"

export const updateUserName: Activity<"updateUserName"> = { run: changeUser }
