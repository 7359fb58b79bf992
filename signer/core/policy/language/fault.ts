import { type ExpressionFaultPlace, type ExpressionKind, Fault } from "../../fault.ts"

/** A range of an expression's text, in UTF-16 code units. */
export type Span = { readonly offset: number; readonly length: number }

/** The fault of a refused expression. The message quotes only short pieces of the text. */
export type ExpressionFault = Fault<ExpressionKind>

/** Details of a fault beside its span. */
type FaultDetails = Omit<ExpressionFaultPlace, keyof Span>

export function expressionFault(
  kind: ExpressionKind,
  { offset, length }: Span,
  sentence: string,
  details: FaultDetails = {},
): ExpressionFault {
  return new Fault(kind, sentence, { offset, length, ...details })
}

const MAX_EXCERPT = 40

/** A piece of the text as a message may quote it: short, and in one line. A request's text may be long. */
export function excerpt(text: string): string {
  const clean = text.slice(0, MAX_EXCERPT).replace(/\p{Cc}/gu, " ")
  return text.length > MAX_EXCERPT ? `${clean}...` : clean
}

/**
 * - `missing-root`: the request has no such root
 * - `missing-field`: this activity does not show the field
 * - `field-not-used`: the request omits the field
 * - `missing-key`: the map has no such key
 * - `out-of-range`: an index or slice past the end
 * - `type-mismatch`: the request's value has the wrong kind
 * - `number-range`: an integer outside its type
 * - `budget`: the expression, or all of the request, takes too many steps
 */
export type FaultReason =
  | "missing-root"
  | "missing-field"
  | "field-not-used"
  | "missing-key"
  | "out-of-range"
  | "type-mismatch"
  | "number-range"
  | "budget"

/** The reason why an expression has no value for a request. The sentence has names and kinds, never values. */
export type EvaluationFault = Span & { readonly reason: FaultReason; readonly sentence: string }

/** Carries a fault out of the evaluator. Not an Error: it is common, and building a stack costs time. */
export class EvaluationStop {
  readonly fault: EvaluationFault

  constructor(reason: FaultReason, { offset, length }: Span, sentence: string) {
    this.fault = { reason, offset, length, sentence }
  }
}
