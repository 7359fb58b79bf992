import type { ActivityEntry } from "../../proto/catalog.ts"
import {
  DenialAdviceSchema,
  type ExceededVelocityControl,
} from "../../proto/gen/countersign/api/v1/errors_pb.ts"
import { Effect, Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Policy } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { isImportForAnother } from "../../signer/core/policy/decision/decide.ts"
import type { PolicyOutcome } from "../../signer/core/policy/decision/policy-evaluator.ts"

/** countersign.api.v1.DenialAdvice in JSON, as google.protobuf.Any. */
export type DenialAdvice = {
  "@type": string
  policies: DenyingPolicy[]
  suggestions: string[]
  condition: string
  consensus: string
}
type DenyingPolicy = { policyId: string; policyName: string; reason: string }

/** A request that the decision procedure denied. */
export type DeniedRequest = {
  activity: Pick<ActivityEntry, "authority" | "action" | "kind" | "resource">
  parameters: { userId?: unknown }
  /** The submitter. */
  userId: string
  outcomes: readonly PolicyOutcome[]
  /** The organization's policies; empty if the caller may not see their names. */
  policies: readonly Policy[]
  /** Velocity controls that it would exceed, if they are the only reason. */
  exceeded?: readonly Pick<ExceededVelocityControl, "freesAt">[]
}

/** Limit on the policies of one reply, which `policyEvaluations` lists completely. */
const MAX_POLICIES = 20

/** Advice on how a denied request can be allowed, by the steps of `decide`. It shows no expression of a policy. */
export function denialAdvice(denied: DeniedRequest): DenialAdvice {
  const type = `type.googleapis.com/${DenialAdviceSchema.typeName}`
  return { "@type": type, policies: [], condition: "", consensus: "", ...adviceOn(denied) }
}

function adviceOn(denied: DeniedRequest): Pick<DenialAdvice, "suggestions"> & Partial<DenialAdvice> {
  const { activity, parameters, userId, outcomes } = denied
  if (isImportForAnother({ activity, parameters, submitterId: userId }))
    return {
      suggestions: [`set parameters.userId to ${userId}: an import is sealed to a key of its submitter`],
    }
  const byRoot = "have a member of the root quorum submit it"
  if (activity.authority === Authority.ROOT_QUORUM)
    return { suggestions: [`${byRoot}: no policy allows it to other users`] }
  const policies = denyingPolicies(denied)
  const isForbidden = outcomes.some(({ outcome }) => outcome === Outcome.DENY_EXPLICIT)
  const otherwise = activity.authority === Authority.LOGIN ? [] : [`${byRoot}: policies do not limit it`]
  const { exceeded = [] } = denied
  if (exceeded.length > 0) {
    const wait = exceeded.every(({ freesAt }) => freesAt !== "")
      ? ["wait until its velocity controls allow it"]
      : []
    return { policies, suggestions: [...wait, "move less, or do it less often", ...otherwise] }
  }
  if (isForbidden)
    return {
      policies,
      suggestions: ["have a root user change the policies that forbid it, with update_policy", ...otherwise],
    }
  const condition = `activity.kind == '${activity.kind}'`
  const consensus = `approvers.any(u, u.id == '${userId}')`
  const allow = `have a root user allow it: create_policy with effect EFFECT_ALLOW, condition "${condition}" and consensus "${consensus}", with a narrower condition where possible`
  const explain = outcomes.length > 0 ? ["query simulate_policies, which shows the clauses that decided"] : []
  return { policies, suggestions: [allow, ...otherwise, ...explain], condition, consensus }
}

/** The policies that kept the request from running: those that forbid it first, then in the order of the document. */
function denyingPolicies({ outcomes, policies }: DeniedRequest): DenyingPolicy[] {
  const known = new Map(policies.map((policy) => [policy.policyId, policy]))
  const inOrder = outcomes.toSorted((a, b) => placeOf(a.outcome) - placeOf(b.outcome))
  const named = inOrder.flatMap(({ policyId, outcome }) => {
    const policy = known.get(policyId)
    const reason = policy && reasonOf(policy.effect, outcome)
    return reason ? [{ policyId, policyName: policy.name, reason }] : []
  })
  return named.slice(0, MAX_POLICIES)
}

/** Undefined for a policy that has no part in the denial, such as a DENY that does not match. */
function reasonOf(effect: Effect, outcome: Outcome): string | undefined {
  if (outcome === Outcome.DENY_IMPLICIT && effect !== Effect.ALLOW) return undefined
  return REASONS.get(outcome)
}

/** Reasons by outcome, in the order in which policies are shown. */
const REASONS: ReadonlyMap<Outcome, string> = new Map([
  [Outcome.DENY_EXPLICIT, "it forbids this request"],
  [Outcome.ERROR, "it cannot be evaluated for this request"],
  [Outcome.TIME_INACTIVE, "its time expression does not hold now"],
  [Outcome.DENY_IMPLICIT, "its condition or its consensus does not match this request"],
])

function placeOf(outcome: Outcome): number {
  return [...REASONS.keys()].indexOf(outcome)
}
