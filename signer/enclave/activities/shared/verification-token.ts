import { refuse } from "../../../core/refusal.ts"

/**
 * Refuses a verification token instead of ignoring it: its sender would believe the contact to be proven.
 * @throws VERIFICATION_TOKEN_NOT_SERVED
 */
export function refuseVerificationToken(token: string | undefined): void {
  if (token === undefined) return
  const sentence =
    "verification tokens cannot be checked by this release; without one the contact is stored as unproven"
  throw refuse("VERIFICATION_TOKEN_NOT_SERVED", sentence, { field: "parameters.verificationToken" })
}
