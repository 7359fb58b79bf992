import { EXPRESSION_KINDS, isFault } from "../../signer/core/fault.ts"
import type { Refused } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { compile, type Field, type ExpressionFault } from "../../signer/core/policy/expression.ts"
import { suggestionFor, withSuggestion } from "./suggestions.ts"

/**
 * Adds a suggestion to a refused expression, in the sentence and beside the place of the fault: the signer makes none. A
 * refusal that is not about an expression is returned unchanged.
 *
 * @param parameters of the request that was refused
 */
export function withExpressionAdvice(refused: Refused, parameters: unknown): Refused {
  const { field, sentence, expression } = refused
  if (expression === undefined || expression.suggestion !== "") return refused
  const text = textAt({ parameters }, field)
  const fault = text === undefined ? undefined : faultOf(text, fieldOf(field))
  const suggestion = fault && suggestionFor(fault, text ?? "", fieldOf(field))
  if (fault === undefined || suggestion === undefined) return refused
  return {
    ...refused,
    sentence: withSuggestion(sentence, suggestion, fault.kind),
    expression: { ...expression, suggestion },
  }
}

/** The expression at a path such as `parameters.policies[1].condition`. */
function textAt(body: unknown, path: string): string | undefined {
  let value = body
  for (const [, member, index] of path.matchAll(/([A-Za-z]+)|\[(\d+)\]/g)) {
    if (typeof value !== "object" || value === null) return undefined
    value = Reflect.get(value, member ?? index ?? "")
  }
  return typeof value === "string" ? value : undefined
}

/** Scopes of session profiles and MFA policies are conditions too. */
function fieldOf(path: string): Field {
  if (path.endsWith("onsensus")) return "consensus"
  return path.endsWith("time") ? "time" : "condition"
}

function faultOf(text: string, field: Field): ExpressionFault | undefined {
  try {
    compile(text, field)
    return undefined
  } catch (fault) {
    if (isFault(fault, ...EXPRESSION_KINDS)) return fault
    throw fault
  }
}
