import { type Compiled, compileIn, type Field } from "./language/index.ts"
import { namespaces } from "./namespaces/index.ts"

export {
  Budget,
  Caseless,
  type Compiled,
  deciding,
  type Environment,
  evaluate,
  type Evaluation,
  type EvaluationFault,
  explain,
  type Explanation,
  ExpressionFault,
  type Field,
  fieldNotUsed,
  type Known,
  lint,
  type Members,
  members,
  type Value,
  type Warning,
} from "./language/index.ts"

/**
 * Compiles an expression of a policy, a session profile or an MFA policy. What is absent or `""` in a policy is no
 * expression; it never comes here.
 *
 * @throws ExpressionFault
 */
export function compile(text: string, field: Field): Compiled {
  return compileIn(namespaces[field], text)
}
