import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { SessionScope } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { type Compiled, compile, type RootReader, members } from "../../../core/policy/expression.ts"
import { factsOf } from "../../../core/policy/facts/index.ts"
import type { Parameters } from "../../../core/policy/facts/activity.ts"
import { evaluateScope } from "../../../core/policy/scope.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { Case } from "./authenticated-request.ts"
import { sessionScopeOf } from "../state/credential-owner.ts"
import { holdingsOf } from "../workspace/holdings.ts"

/**
 * A session does what its profile allows and nothing else: whoever its user is, and before anything is decided. Of a
 * batch every part has to be allowed. It is the request that is confined, so of a vote it is the vote.
 *
 * @throws SESSION_SCOPE_DENIED, SESSION_SCOPE_UNDECIDED, what looking up the activity's keys throws
 */
export function requireInScope(
  current: Pick<Case, "request" | "organization" | "holder">,
  deps: ExecutionDeps,
): void {
  const scope = sessionScopeOf(current.holder)
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
 * What a scope sees. Of a vote its type alone: resource, action and kind are those of what is voted on, and a scope that
 * goes by them is an error, or it would let a session approve what it may not submit. Of what the root quorum alone may
 * do it sees nothing.
 */
function factsFor(
  { request, organization }: Pick<Case, "request" | "organization">,
  { roots }: Compiled,
  deps: ExecutionDeps,
): RootReader[] {
  const { activity } = request
  const parameters = request.parameters as Parameters
  if (activity.authority === Authority.ROOT_QUORUM) return [() => undefined]
  if (activity.authority === Authority.VOTE) {
    const vote = members({ type: activity.type, params: members({}) })
    return [(root) => (root === "activity" ? vote : undefined)]
  }
  const holdings = () => holdingsOf(activity, parameters, organization, deps)
  return factsOf({ activity, parameters, holdings }, roots)
}

/** By the object that all sessions of a profile share (sessions.ts). */
const compiledScopes = new WeakMap<SessionScope, Compiled>()

/** It was compiled when the profile was made. @throws Error where the language no longer knows it */
function compiledScope(scope: SessionScope): Compiled {
  const known = compiledScopes.get(scope)
  if (known !== undefined) return known
  const compiled = compile(scope.condition, "condition")
  compiledScopes.set(scope, compiled)
  return compiled
}
