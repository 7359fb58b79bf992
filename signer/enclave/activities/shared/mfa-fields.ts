import type { MfaFields } from "../../organization/mfa-policies.ts"

/** Paths of the members of all MFA policy activities. */
export const MFA_FIELDS: MfaFields = {
  userId: "parameters.userId",
  mfaPolicyId: "parameters.mfaPolicyId",
  name: "parameters.mfaPolicyName",
  steps: "parameters.requiredAuthenticationMethods",
}
