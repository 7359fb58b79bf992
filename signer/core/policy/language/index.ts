// The policy language: text to a checked expression, an expression and a request's values to true, false or a fault.
// It knows no root by name: what names mean is handed in (`../namespaces/`). Callers go through `../expression.ts`,
// which binds the two. Pure: no clock, no input or output, no refusals.
export { Budget } from "./budget.ts"
export { type Compiled, compileIn } from "./compile.ts"
export { type Environment, evaluate, type Evaluation } from "./evaluate.ts"
export { deciding, explain, type Explanation } from "./explain.ts"
export {
  type Advice,
  type EvaluationFault,
  ExpressionFault,
  type FaultKind,
  type FaultReason,
  type Span,
} from "./fault.ts"
export { type Known, lint, type Warning } from "./lint.ts"
export type { Field, Namespace } from "./namespace.ts"
export { Caseless, fieldNotUsed, type Members, members, type Value } from "./value.ts"
