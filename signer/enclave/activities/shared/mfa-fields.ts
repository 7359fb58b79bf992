import type { MfaFields } from "../../organization/mfa-policies.ts"

/** Members of all requests about MFA policies. */
export const MFA_FIELDS: MfaFields = {
  userId: "parameters.userId",
  mfaPolicyId: "parameters.mfaPolicyId",
  name: "parameters.mfaPolicyName",
  steps: "parameters.requiredAuthenticationMethods",
}
