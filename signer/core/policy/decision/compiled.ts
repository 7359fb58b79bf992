import { Effect, FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Policy } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../../organization/features.ts"
import type { Organization } from "../../organization/organization.ts"
import { type Compiled, compile, ExpressionFault, type Field } from "../expression.ts"
import { RecentlyUsed } from "../../recently-used.ts"

/** An expression of a policy; absent: it is true; broken: this release cannot read it, it always errs. */
export type CompiledExpression = Compiled | "absent" | "broken"

/** A policy ready to be judged. */
export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: "allow" | "deny"
  readonly condition: CompiledExpression
  readonly consensus: CompiledExpression
  readonly time: CompiledExpression
}

export type PolicySet = {
  readonly policies: readonly CompiledPolicy[]
  /** Roots that conditions read: what must be known of an activity before it is judged. */
  readonly roots: ReadonlySet<string>
  /** A DENY that cannot be evaluated denies. */
  readonly isStrict: boolean
}

/**
 * Characters of the policies of all organizations that are kept compiled. Compiled they take about a hundred times as many
 * bytes, and anybody who governs an organization may fill its policies to the brim: there can be thousands.
 */
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024

/** A version of an organization never changes, so its policies are read once for it, while they are kept. */
const sets = new RecentlyUsed<Organization, PolicySet>(MAX_KEPT_CHARACTERS)

/** Expressions by field and text: another version of an organization has nearly the same as the one before. */
const expressions = new RecentlyUsed<string, Compiled>(MAX_KEPT_CHARACTERS / 2)

/** What a policy or an expression takes beside its text, in characters. */
const OVERHEAD = 100

export function policiesOf(organization: Organization): PolicySet {
  const known = sets.get(organization)
  if (known !== undefined) return known
  const policies = organization.document.policies.map(compilePolicy)
  const roots = new Set(policies.flatMap(({ condition }) => rootsOf(condition)))
  const isStrict = featureOf(organization.document, FeatureName.STRICT_DENY) !== undefined
  const set = { policies, roots, isStrict }
  const weight = organization.document.policies.reduce((sum, policy) => sum + weightOf(policy), OVERHEAD)
  sets.set(organization, set, weight)
  return set
}

function weightOf({ condition = "", consensus = "", time = "" }: Policy): number {
  return OVERHEAD + condition.length + consensus.length + time.length
}

function compilePolicy({ policyId, effect, condition, consensus, time }: Policy): CompiledPolicy {
  return {
    policyId,
    // What is no ALLOW must not allow.
    effect: effect === Effect.ALLOW ? "allow" : "deny",
    condition: compileExpression(condition, "condition"),
    consensus: compileExpression(consensus, "consensus"),
    time: compileExpression(time, "time"),
  }
}

export function compileExpression(text: string | undefined, field: Field): CompiledExpression {
  if (text === undefined || text === "") return "absent"
  const name = `${field} ${text}`
  const known = expressions.get(name)
  if (known !== undefined) return known
  try {
    const compiled = compile(text, field)
    expressions.set(name, compiled, OVERHEAD + text.length)
    return compiled
  } catch (error) {
    if (error instanceof ExpressionFault) return "broken"
    throw error
  }
}

function rootsOf(expression: CompiledExpression): string[] {
  return typeof expression === "string" ? [] : [...expression.roots]
}
