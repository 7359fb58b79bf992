import { removeMfaPolicy } from "./mfa-policies.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteMfaPolicy: Activity<"deleteMfaPolicy"> = {
  run: (named, { organization }) => ({ mfaPolicyId: removeMfaPolicy(organization, named) }),
}
