import type { Activity } from "./activity.ts"
import { changeUser } from "./shared/users.ts"

export const updateUserPhoneNumber: Activity<"updateUserPhoneNumber"> = { run: changeUser }
