import { policiesOf } from "../../../core/policy/decision/policy-set.ts"
import type { RootReader } from "../../../core/policy/expression.ts"
import { factsOf } from "../../../core/policy/facts/index.ts"
import type { Parameters } from "../../../core/policy/facts/activity.ts"
import { mfaRootsOf } from "../../../core/policy/decision/mfa.ts"
import type { DecisionInput } from "../../../core/policy/decision/decision-input.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { holdingsOf } from "../workspace/holdings.ts"

/** No policy reads anything. */
const NO_FACTS: readonly RootReader[] = [() => undefined]

/**
 * What is decided, with all that policies read of it, and MFA policies of those who approve or submitted, gathered here or
 * refused here. Where there are no policies nothing is gathered.
 *
 * @throws PAYLOAD_INVALID, SIGN_WITH_UNKNOWN, RESOURCE_UNKNOWN, RECORD_DELETED: what is wrong with the activity anyway
 */
export function makeQuestion(matter: Omit<DecisionInput, "facts">, deps: ExecutionDeps): DecisionInput {
  const { activity, organization, approvals, submitterId } = matter
  const { roots: read } = policiesOf(organization)
  const submitter = organization.user(submitterId)
  const users = new Set([...approvals.map(({ user }) => user), ...(submitter ? [submitter] : [])])
  const asked = [...users].flatMap(mfaRootsOf)
  const roots = asked.length === 0 ? read : new Set([...read, ...asked])
  if (roots.size === 0) return { ...matter, facts: NO_FACTS }
  const parameters = matter.parameters as Parameters
  const holdings = () => holdingsOf(activity, parameters, organization, deps)
  return { ...matter, facts: factsOf({ activity, parameters, holdings }, roots) }
}
