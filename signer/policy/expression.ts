import { type Compiled, compileIn, type Field } from "./language/index.ts"
import { namespaces } from "./namespaces/index.ts"

export {
  Budget,
  Caseless,
  type Compiled,
  type Environment,
  evaluate,
  type Evaluation,
  type EvaluationFault,
  ExpressionFault,
  type Field,
  fieldNotUsed,
  type Members,
  members,
  type Value,
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
