import type { FilePolicy } from "../file.ts"
import type { LivePolicy } from "../live.ts"
import { contract, expand } from "../references.ts"
import {
  change,
  chunks,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"

/**
 * Policies by name. All of them wait for the objects that any of them refers to, and new ones are created together. So a DENY
 * comes into force with the ALLOW that it bounds.
 */
export function planPolicies(context: PlanContext): Part {
  const { file, live, prune } = context
  if (file.policies === undefined) return { activities: [] }
  const resolved = file.policies.map((policy) => ({
    ...resolve(policy, context),
    before: live.policies.find(({ policyName }) => policyName === policy.policyName),
  }))
  const created = resolved.filter(({ before }) => before === undefined)
  const needs = [...new Set(resolved.flatMap(({ missing }) => missing))]
  const activities = [
    ...creations(created, needs),
    ...resolved.flatMap((policy) => (policy.before ? update(policy, policy.before, context, needs) : [])),
  ]
  const wanted = new Set(file.policies.map(({ policyName }) => policyName))
  const extra = live.policies.filter(({ policyName }) => !wanted.has(policyName))
  if (!prune) return { activities, kept: extra.map(({ policyName }) => `policy ${policyName}`) }
  return { activities: [...activities, ...deletions(extra)] }
}

type Resolved = { policy: FilePolicy; condition: string; consensus: string; time: string; missing: string[] }

function resolve(policy: FilePolicy, { names }: PlanContext): Resolved {
  const resolver = new Resolver(names)
  const textOf = (written: string) => expand(written, resolver.id).text
  const { condition, consensus, time } = policy
  const texts = { condition: textOf(condition), consensus: textOf(consensus), time: textOf(time) }
  return { policy, ...texts, missing: [...new Set(resolver.missing)] }
}

function creations(policies: readonly Resolved[], needs: readonly string[]): PlannedActivity[] {
  return chunks(policies).map((group) => {
    const words = group.map(({ policy }) => creation(policy))
    return planned("CREATE_POLICIES", Stage.change, words, { policies: group.map(parametersOf) }, needs)
  })
}

function parametersOf({ policy: { policyName, effect, notes }, condition, consensus, time }: Resolved) {
  const texts = { ...(condition && { condition }), ...(consensus && { consensus }), ...(time && { time }) }
  return { policyName, effect, ...texts, notes }
}

function creation({ policyName, effect, condition, consensus, time }: FilePolicy) {
  const members = differing({
    effect: ["", effect],
    consensus: ["", consensus],
    condition: ["", condition],
    time: ["", time],
  })
  const words =
    effect === "EFFECT_ALLOW"
      ? { gained: ["requests that it fits are allowed, unless another policy denies them"] }
      : { lost: ["requests that it fits are denied to all but the root quorum"] }
  return change("create", "policy", policyName, { ...words, members })
}

function update(
  after: Resolved,
  before: LivePolicy,
  { names }: PlanContext,
  needs: readonly string[],
): PlannedActivity[] {
  const { policy } = after
  const shown = (text: string) => contract(text, names)
  const members = differing({
    effect: [before.effect, policy.effect],
    consensus: [shown(before.consensus), shown(after.consensus)],
    condition: [shown(before.condition), shown(after.condition)],
    time: [shown(before.time ?? ""), shown(after.time)],
    notes: [before.notes, policy.notes],
  })
  if (members.length === 0) return []
  const parameters = {
    policyId: before.policyId,
    policyEffect: policy.effect,
    policyCondition: after.condition,
    policyConsensus: after.consensus,
    policyNotes: policy.notes,
    time: after.time,
  }
  const words = change("update", "policy", policy.policyName, { members })
  return [planned("UPDATE_POLICY_V2", Stage.change, words, parameters, needs)]
}

function deletions(policies: readonly LivePolicy[]): PlannedActivity[] {
  return chunks(policies).map((group) => {
    const words = group.map(({ policyName, effect }) =>
      change(
        "delete",
        "policy",
        policyName,
        effect === "EFFECT_ALLOW"
          ? { lost: ["requests that it alone allowed are denied"] }
          : { gained: ["requests that it alone denied are decided by the other policies"] },
      ),
    )
    return planned("DELETE_POLICIES", Stage.remove, words, {
      policyIds: group.map(({ policyId }) => policyId),
    })
  })
}
