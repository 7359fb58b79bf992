/** A range of an expression's text, in UTF-16 code units. */
export type Span = { readonly offset: number; readonly length: number }

/**
 * - `syntax`: the text does not follow the grammar
 * - `type`: operands, elements or the result have the wrong type, or a literal is invalid
 * - `unknown-field`: a root or field does not exist here
 * - `bound`: the expression exceeds a limit of `limits.ts`
 */
export type FaultKind = "syntax" | "type" | "unknown-field" | "bound"

export type FaultDetails = {
  expected?: string
  found?: string
  /** Known names where the unknown one stands. */
  known?: readonly string[]
}

/** The fault of a refused expression. The message quotes only short pieces of the text. */
export class ExpressionFault extends Error {
  readonly kind: FaultKind
  readonly offset: number
  readonly length: number
  declare readonly expected?: string
  declare readonly found?: string
  declare readonly known?: readonly string[]

  constructor(kind: FaultKind, span: Span, sentence: string, details: FaultDetails = {}) {
    super(sentence)
    this.name = "ExpressionFault"
    this.kind = kind
    this.offset = span.offset
    this.length = span.length
    Object.assign(this, details)
  }
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
