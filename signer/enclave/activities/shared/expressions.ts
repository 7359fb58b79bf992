import { compile, ExpressionFault, type Field } from "../../../core/policy/expression.ts"
import { type RefusalName, refuse } from "../../../core/refusal.ts"

/** How refusals speak of an expression: of a policy, of a session profile. */
export type ExpressionName = `policy ${Field}` | "session profile scope" | "mfa policy condition"

const CODES: { readonly [kind in ExpressionFault["kind"]]: RefusalName } = {
  syntax: "EXPRESSION_INVALID",
  type: "EXPRESSION_INVALID",
  "unknown-field": "EXPRESSION_FIELD_UNKNOWN",
  bound: "EXPRESSION_TOO_LARGE",
}

/**
 * Sees to it that an expression can be evaluated wherever its roots are there. `roots` says which are legal in it.
 * Absent and "" are no expression, and always hold; where one is needed, "" is none that can be read.
 *
 * @throws EXPRESSION_INVALID, EXPRESSION_FIELD_UNKNOWN, EXPRESSION_TOO_LARGE, each with the place in the expression
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
    compile(text, roots)
  } catch (fault) {
    if (!(fault instanceof ExpressionFault)) throw fault
    const { kind, offset, length, expected, found } = fault
    throw refuse(CODES[kind], `invalid ${name}: ${sentenceOf(fault)}`, {
      cause: fault,
      field,
      expression: { offset, length, expected, found },
    })
  }
}

/** Clients match the words before an unknown name. */
function sentenceOf({ kind, message }: ExpressionFault): string {
  return kind === "unknown-field" ? `Expression cannot be evaluated: ${message}` : message
}

/** The expressions of a policy, and the paths of the members that hold them. */
export function requirePolicyExpressions(
  texts: { readonly [field in Field]?: string | undefined },
  fields: { readonly [field in Field]: string },
): void {
  for (const field of ["condition", "consensus", "time"] as const)
    requireExpression(`policy ${field}`, field, texts[field], fields[field])
}
