import { removeMfaPolicy } from "../organization/mfa-policies.ts"
import type { Activity } from "./activity.ts"

export const deleteMfaPolicy: Activity<"deleteMfaPolicy"> = {
  run: (named, { organization }) => ({ mfaPolicyId: removeMfaPolicy(organization, named) }),
}
