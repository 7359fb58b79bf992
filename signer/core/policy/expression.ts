import { type Compiled, compileIn } from "./language/compile.ts"
import type { Field } from "./language/names.ts"
import { namespaces } from "./namespaces/index.ts"

// The entrance to the policy language. The language itself has no roots; this file binds it to the namespaces.
export { Budget } from "./language/frame.ts"
export { type Compiled, evaluate, type Evaluation, lacksRoot, type RootReader } from "./language/compile.ts"
export { type EvaluationFault, type ExpressionFault } from "./language/fault.ts"
export type { Field } from "./language/names.ts"
export {
  Caseless,
  fieldNotUsed,
  type MemberValue,
  type Members,
  members,
  UnreadableValue,
  type Value,
} from "./language/value.ts"

/**
 * Compiles an expression of a policy, a session profile or an MFA policy. Callers do not compile an absent or empty
 * expression: it always holds.
 * @throws ExpressionFault
 */
export function compile(text: string, field: Field): Compiled {
  return compileIn(namespaces[field], text)
}
