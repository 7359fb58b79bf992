import type { Activity } from "./activity.ts"
import { changeUser } from "./shared/users.ts"

export const updateUser: Activity<"updateUser"> = { run: changeUser }
