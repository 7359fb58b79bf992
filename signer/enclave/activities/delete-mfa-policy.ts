import { removeMfaPolicy } from "../organization/mfa-policies.ts"
import type { Activity } from "./activity.ts"
import { MFA_FIELDS } from "./shared/mfa-fields.ts"

export const deleteMfaPolicy: Activity<"deleteMfaPolicy"> = {
  run: (named, { organization }) => ({ mfaPolicyId: removeMfaPolicy(organization, named, MFA_FIELDS) }),
}
