import type { Activity } from "./activity.ts"
import { changeContact } from "./shared/users.ts"

const needs = ["settings", "verification"] as const

export const updateUserEmail: Activity<"updateUserEmail", typeof needs> = { needs, run: changeContact }
