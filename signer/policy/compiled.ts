import { Effect, FeatureName } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Policy } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../organization/features.ts"
import type { Organization } from "../organization/organization.ts"
import { type Compiled, compile, ExpressionFault, type Field } from "./expression.ts"

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

/** A version of an organization never changes, so its policies are read once for it. */
const sets = new WeakMap<Organization, PolicySet>()

export function policiesOf(organization: Organization): PolicySet {
  const known = sets.get(organization)
  if (known !== undefined) return known
  const policies = organization.document.policies.map(compilePolicy)
  const roots = new Set(policies.flatMap(({ condition }) => rootsOf(condition)))
  const isStrict = featureOf(organization.document, FeatureName.STRICT_DENY) !== undefined
  const set = { policies, roots, isStrict }
  sets.set(organization, set)
  return set
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
  try {
    return compile(text, field)
  } catch (error) {
    if (error instanceof ExpressionFault) return "broken"
    throw error
  }
}

function rootsOf(expression: CompiledExpression): string[] {
  return typeof expression === "string" ? [] : [...expression.roots]
}
