import type { Activity } from "./activity.ts"
import { changeUser } from "./shared/users.ts"

export const updateUserEmail: Activity<"updateUserEmail"> = { run: changeUser }
