import { expressionRefusal } from "../../core/fault-refusals.ts"
import { EXPRESSION_KINDS, isFault } from "../../core/fault.ts"
import { expressionFault } from "../../core/policy/language/fault.ts"
import type {
  CreatePolicyIntentV3,
  NewPolicyParams,
} from "../../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import { controlsReadBy } from "../../core/policy/decision/policy-set.ts"
import { compile, type Field } from "../../core/policy/expression.ts"
import type { Steps } from "../../core/turns/steps.ts"
import { addPolicy } from "../organization/policies.ts"
import type { ActivityContext } from "./activity.ts"

type NewPolicy = CreatePolicyIntentV3 | NewPolicyParams

/** @throws EXPRESSION_INVALID, EXPRESSION_FIELD_UNKNOWN, EXPRESSION_TOO_LARGE */
export function checkNewPolicy(policy: NewPolicy, field: string): Steps<void> {
  const names = ["condition", "consensus", "time"] as const
  return requirePolicyExpressions(names.map((name) => [name, policy[name], `${field}.${name}`]))
}

/** Adds a policy; returns its id. @throws NAME_TAKEN, LIMIT_EXCEEDED */
export function createPolicy(policy: NewPolicy, context: ActivityContext, field: string) {
  const policyId = context.newId()
  addPolicy(context.organization, { ...policy, policyId, name: policy.policyName }, field)
  return policyId
}

/** The name of an expression in refusals. */
export type ExpressionName = `policy ${Field}` | "session profile scope" | "mfa policy condition"

/**
 * Requires that an expression compiles with the namespaces of `roots`. An absent expression always holds, and so does
 * "" unless an expression is needed. Refusals carry the position in the expression.
 * @throws EXPRESSION_INVALID, EXPRESSION_FIELD_UNKNOWN, EXPRESSION_TOO_LARGE
 */
export function requireExpression(
  name: ExpressionName,
  roots: Field,
  text: string | undefined,
  field: string,
  need: "needed" | "optional" = "optional",
): void {
  if (text === undefined || (text === "" && need === "optional")) return
  try {
    const compiled = compile(text, roots)
    if (roots !== "condition" || name === "policy condition") return
    const [read] = controlsReadBy(compiled).values()
    if (read === undefined) return
    throw expressionFault(
      "unknown-field",
      read,
      "field does not exist: controls, which only policies read",
      {},
    )
  } catch (fault) {
    if (!isFault(fault, ...EXPRESSION_KINDS)) throw fault
    throw expressionRefusal(fault, name, field)
  }
}

/** Requires that the expressions of a policy compile: each with its text and the path of its member. */
export function* requirePolicyExpressions(
  expressions: readonly (readonly [name: Field, text: string | undefined, field: string])[],
): Steps<void> {
  for (const [name, text, field] of expressions) {
    requireExpression(`policy ${name}`, name, text, field)
    yield
  }
}
