import { Effect, FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Policy } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf, type Organization } from "../../organization/organization.ts"
import { RecentlyUsed } from "../../recently-used.ts"
import { type Compiled, compile, ExpressionFault, type Field } from "../expression.ts"

/** An expression of a policy. "absent": it holds. "broken": this release cannot compile it, so it is an error. */
export type CompiledExpression = Compiled | "absent" | "broken"

export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: "allow" | "deny"
  readonly condition: CompiledExpression
  readonly consensus: CompiledExpression
  readonly time: CompiledExpression
}

export type PolicySet = {
  readonly policies: readonly CompiledPolicy[]
  /** Roots that conditions read; only these are built. */
  readonly roots: ReadonlySet<string>
  /** A DENY in error denies: FEATURE_NAME_STRICT_DENY. */
  readonly isStrict: boolean
}

/**
 * Characters of policies, of all organizations, that are kept compiled. A compiled policy takes about a hundred times the
 * bytes of its text, and each of thousands of organizations may fill its policies to the limit.
 */
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024

/** Policies by organization. A version of an organization never changes. */
const sets = new RecentlyUsed<Organization, PolicySet>(MAX_KEPT_CHARACTERS)

/** Expressions by field and text: the next version of an organization has nearly the same ones. */
const expressions = new RecentlyUsed<string, Compiled>(MAX_KEPT_CHARACTERS / 2)

/** Weight of a policy or an expression beside its text, in characters. */
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
    // An effect that is not ALLOW must not allow.
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

export function rootsOf(expression: CompiledExpression): string[] {
  return typeof expression === "string" ? [] : [...expression.roots]
}
