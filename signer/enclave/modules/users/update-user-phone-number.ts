import type { Activity } from "../../activities/activity.ts"
import { changeContact } from "../../activities/new-users.ts"

const needs = ["settings", "verification"] as const

export const updateUserPhoneNumber: Activity<"updateUserPhoneNumber", typeof needs> = {
  needs,
  run: changeContact,
}
