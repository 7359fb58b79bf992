import { refuse } from "../../../core/refusal.ts"

/**
 * A token that nothing here can check must not be passed over in silence: its sender takes the contact for proven.
 *
 * @throws VERIFICATION_TOKEN_NOT_SERVED
 */
export function refuseVerificationToken(
  token: string | undefined,
  field = "parameters.verificationToken",
): void {
  if (token === undefined) return
  const sentence =
    "verification tokens cannot be checked by this release; without one the contact is stored as unproven"
  throw refuse("VERIFICATION_TOKEN_NOT_SERVED", sentence, { field })
}
