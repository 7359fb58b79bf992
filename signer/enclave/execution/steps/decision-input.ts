import { policiesOf } from "../../../core/policy/decision/policy-set.ts"
import type { Approval, DecisionInput } from "../../../core/policy/decision/decision-input.ts"
import { mfaRootsOf } from "../../../core/policy/decision/mfa.ts"
import type { RootReader } from "../../../core/policy/expression.ts"
import { factsOf } from "../../../core/policy/facts/index.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"
import { holdingsOf } from "../workspace/holdings.ts"

/** Facts when no policy reads any. */
const NO_FACTS: readonly RootReader[] = [() => undefined]

/**
 * The decision input of an activity. It gathers only the facts that the organization's policies read, and the MFA
 * policies of its approvers and submitter.
 *
 * @throws PAYLOAD_INVALID, SIGN_WITH_UNKNOWN, RESOURCE_UNKNOWN, RECORD_DELETED, as running the activity would
 */
export function makeDecisionInput(
  { activity, parameters }: Pick<StampedRequest, "activity" | "parameters">,
  { organization, nowMs }: Pick<AuthenticatedRequest, "organization" | "nowMs">,
  submitterId: string,
  approvals: readonly Approval[],
  deps: ExecutionDeps,
): DecisionInput {
  const roots = rootsRead(organization, submitterId, approvals)
  const holdings = () => holdingsOf(activity, parameters, organization, deps)
  const facts = roots.size === 0 ? NO_FACTS : factsOf({ activity, parameters, holdings }, roots)
  return { organization, activity, parameters, submitterId, approvals, facts, nowMs }
}

function rootsRead(
  organization: AuthenticatedRequest["organization"],
  submitterId: string,
  approvals: readonly Approval[],
): ReadonlySet<string> {
  const { roots } = policiesOf(organization)
  const submitter = organization.user(submitterId)
  const users = new Set(approvals.map(({ user }) => user))
  if (submitter !== undefined) users.add(submitter)
  const mfaRoots = [...users].flatMap(mfaRootsOf)
  return mfaRoots.length === 0 ? roots : new Set([...roots, ...mfaRoots])
}
