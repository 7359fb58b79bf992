import type { ActivityEntry } from "../../../../proto/catalog.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { Credential } from "../../../core/policy/decision/decision-input.ts"
import { matchingMfaPolicy, mfaProgress, mfaRootsOf } from "../../../core/policy/decision/mfa.ts"
import { factsOf } from "../../../core/policy/facts/index.ts"
import { RequestFacts } from "../../../core/policy/facts/request-facts.ts"
import type { Parameters } from "../../../core/policy/parameters/shown-parameters.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { interfacesOf } from "./contract-interfaces.ts"

/** A login that somebody asks for in place of the user. */
type LoginRequest = { activity: ActivityEntry; parameters: Parameters; organization: Organization }

/**
 * Refuses a login for a user whose MFA policy asks for more than the one credential that the request proves. Their policy holds
 * for every caller of the login; only their own request can wait for further methods. @throws LOGIN_MFA_NEEDED
 */
export function requireLoginMfa(
  { activity, parameters, organization }: LoginRequest,
  user: User,
  credential: Credential,
  deps: Pick<ExecutionDeps, "archive">,
): void {
  if (user.mfaPolicies.length === 0) return
  const interfaces = interfacesOf(organization, deps)
  const facts = factsOf({ activity, parameters, holdings: () => ({}), interfaces }, mfaRootsOf(user))
  const policy = matchingMfaPolicy(user, new RequestFacts(facts))
  if (policy === undefined || mfaProgress(user, policy, [credential]).isMet) return
  const sentence =
    `MFA policy "${policy.name}" of user ${user.userId} asks for more than this login proves: ` +
    "use stamp_login with X-Stamp-Attested, which waits for the other methods"
  throw refuse("LOGIN_MFA_NEEDED", sentence)
}
