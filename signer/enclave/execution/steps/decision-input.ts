import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { SessionScope } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Approval, DecisionInput } from "../../../core/policy/decision/decision-input.ts"
import { mfaRootsOf } from "../../../core/policy/decision/mfa.ts"
import { policiesOf } from "../../../core/policy/decision/policy-set.ts"
import { type Compiled, type RootReader, compile, members } from "../../../core/policy/expression.ts"
import { once } from "../../../core/once.ts"
import { type FactsInput, factsOf } from "../../../core/policy/facts/index.ts"
import { RequestFacts } from "../../../core/policy/facts/request-facts.ts"
import { evaluateScope } from "../../../core/policy/scope.ts"
import { refuse } from "../../../core/refusal.ts"
import { controls as velocity } from "../../../core/modules/controls.ts"
import { sessionScopeOf } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"
import { readBucket } from "../state/velocity-counters.ts"
import { factsInputOf } from "../workspace/policy-facts.ts"

/** Facts of a request if no policy reads any: none. */
const NOTHING_READ: RootReader = () => undefined

/**
 * The decision input of an activity. It gathers only the facts that the organization's policies read, and the MFA
 * policies of its approvers and submitter.
 * @throws PAYLOAD_INVALID, TRANSACTION_INVALID, TRANSACTION_KEY_UNFIT, SIGN_WITH_UNKNOWN,
 *   RESOURCE_UNKNOWN, RECORD_DELETED, as running the activity would, VELOCITY_CONTROL_AMOUNT_UNKNOWN
 * @throws ContextNeeded for a send whose values of its chain are lacking
 */
export function makeDecisionInput(
  request: Pick<StampedRequest, "activity" | "parameters" | "fingerprint">,
  context: Pick<AuthenticatedRequest, "deciding" | "nowMs" | "order" | "parts">,
  submitterId: string,
  approvals: readonly Approval[],
  deps: ExecutionDeps,
): DecisionInput {
  const { activity, parameters } = request
  const { deciding: organization, nowMs } = context
  const roots = rootsRead(organization, submitterId, approvals)
  const decided = { organization, activity, parameters, submitterId, approvals, nowMs }
  const isCounted = organization.document.velocityControls.length > 0
  // Most signatures: nothing of the request is read.
  if (roots.size === 0 && !isCounted) return { ...decided, facts: new RequestFacts([NOTHING_READ]) }
  const input = factsInput(request, { ...context, organization }, deps)
  const items = roots.size === 0 ? [NOTHING_READ] : factsOf(input, roots)
  if (!isCounted) return { ...decided, facts: new RequestFacts(items) }
  const own = once(() => input.holdings())
  const holdings = (signer?: string) => (signer === undefined ? own() : input.holdings(signer))
  const counted = { activity, parameters: input.parameters, items, submitterId, holdings }
  const bucketOf = (controlId: string, bucketId: string) =>
    readBucket(deps.ledger, organization.id, controlId, bucketId)
  const controls = velocity.readControls(organization, counted, bucketOf, nowMs)
  const facts = new RequestFacts(items.map((item) => velocity.withControls(item, controls)))
  return { ...decided, facts, controls }
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
  const further = [...[...users].flatMap(mfaRootsOf), ...velocity.rootsCounted(organization)]
  return further.length === 0 ? roots : new Set([...roots, ...further])
}

/**
 * Refuses a session's request that its profile does not allow, before anything is decided and whatever its user may do.
 * The profile must allow every item of a batch. A vote is checked as a vote, not as the activity voted on.
 * @throws SESSION_SCOPE_DENIED, SESSION_SCOPE_UNDECIDED, the codes of holdingsOf
 */
export function requireInScope(current: AuthenticatedRequest, deps: ExecutionDeps): void {
  const scope = sessionScopeOf(current.owner)
  if (scope === undefined) return
  const compiled = compiledScope(scope)
  switch (evaluateScope(compiled, factsFor(current, compiled, deps))) {
    case "allowed":
      return
    case "denied":
      throw refuse("SESSION_SCOPE_DENIED", `session profile "${scope.name}" does not allow this request`)
    default: {
      const sentence = `the scope of session profile "${scope.name}" cannot be evaluated for this request`
      throw refuse("SESSION_SCOPE_UNDECIDED", sentence)
    }
  }
}

/**
 * Facts that a scope reads. A vote shows its type only. Resource, action and kind would be those of the activity voted on, and
 * a session could approve an activity that it may not submit. Activities for the root quorum alone show nothing.
 */
function factsFor(current: AuthenticatedRequest, { roots }: Compiled, deps: ExecutionDeps): RootReader[] {
  const { activity } = current.request
  if (activity.authority === Authority.ROOT_QUORUM) return [NOTHING_READ]
  if (activity.authority === Authority.VOTE) {
    const vote = members({ type: activity.type, params: members({}) })
    return [(root) => (root === "activity" ? vote : undefined)]
  }
  return factsOf(factsInput(current.request, current, deps), roots)
}

function factsInput(
  { activity, parameters, fingerprint }: Pick<StampedRequest, "activity" | "parameters" | "fingerprint">,
  context: Pick<AuthenticatedRequest, "organization" | "nowMs" | "order" | "parts">,
  deps: ExecutionDeps,
): FactsInput {
  return factsInputOf({ ...context, activity, parameters, fingerprint }, deps)
}

/** Keyed by the scope object, which all sessions of a profile share (sessions.ts). */
const compiledScopes = new WeakMap<SessionScope, Compiled>()

/** Compiles a scope, which compiled when its profile was created. @throws Error when the language changed since */
function compiledScope(scope: SessionScope): Compiled {
  const known = compiledScopes.get(scope)
  if (known !== undefined) return known
  const compiled = compile(scope.condition, "condition")
  compiledScopes.set(scope, compiled)
  return compiled
}
