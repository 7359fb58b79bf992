import type { ActivityEntry } from "../../../../../proto/catalog.ts"
import type { User } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { NO_INTERFACES } from "../../../../core/contract-interface/interfaces.ts"
import type { Credential } from "../../../../core/policy/decision/decision-input.ts"
import { matchingMfaPolicy, mfaProgress, mfaRootsOf } from "../../../../core/policy/decision/mfa.ts"
import { factsOf } from "../../../../core/policy/facts/index.ts"
import { RequestFacts } from "../../../../core/policy/facts/request-facts.ts"
import type { Parameters } from "../../../../core/policy/parameters/shown-parameters.ts"
import { refuse } from "../../../../core/refusal.ts"

/** A login that somebody asks for in place of the user. */
type LoginRequest = { activity: ActivityEntry; parameters: Parameters }

/**
 * Refuses a login for a user whose MFA policy asks for more than the one credential that the request proves. Their policy holds
 * for every caller of the login; only their own request can wait for further methods. @throws LOGIN_MFA_NEEDED
 */
export function requireLoginMfa(
  { activity, parameters }: LoginRequest,
  user: User,
  credential: Credential,
): void {
  if (user.mfaPolicies.length === 0) return
  // A login names no key and no contract.
  const input = { activity, parameters, holdings: () => ({}), interfaces: NO_INTERFACES }
  const facts = factsOf(input, mfaRootsOf(user))
  const policy = matchingMfaPolicy(user, new RequestFacts(facts))
  if (policy === undefined || mfaProgress(user, policy, [credential]).isMet) return
  const sentence =
    `MFA policy "${policy.name}" of user ${user.userId} asks for more than this login proves: ` +
    "use stamp_login with X-Stamp-Attested, which waits for the other methods"
  throw refuse("LOGIN_MFA_NEEDED", sentence)
}
