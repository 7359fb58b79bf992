/** A stretch of an expression's text, in UTF-16 code units as JavaScript counts them. */
export type Span = { readonly offset: number; readonly length: number }

/**
 * - `syntax`: not a sentence of the grammar
 * - `type`: operands, elements or the result have the wrong type, or a literal means nothing
 * - `unknown-field`: names a root or a field that does not exist here
 * - `bound`: larger than `limits.ts` allows
 */
export type FaultKind = "syntax" | "type" | "unknown-field" | "bound"

export type FaultDetails = {
  expected?: string
  found?: string
  /** Names that exist where the unknown one stands. */
  known?: readonly string[]
}

/** Why an expression is refused when it is created. The message quotes names out of the expression, never more. */
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
    if (details.expected !== undefined) this.expected = details.expected
    if (details.found !== undefined) this.found = details.found
    if (details.known !== undefined) this.known = details.known
  }
}

const MAX_EXCERPT = 40

/** A piece of the text as a message may quote it: short, and in one line. */
export function excerpt(text: string): string {
  const clean = text.replace(/\p{Cc}/gu, " ")
  return clean.length > MAX_EXCERPT ? `${clean.slice(0, MAX_EXCERPT)}...` : clean
}

/**
 * - `missing-root`: the request has no such namespace
 * - `missing-field`: this activity does not show the field
 * - `field-not-used`: the request leaves the field out
 * - `missing-key`: the map has no such key
 * - `out-of-range`: an index or slice past the end
 * - `type-mismatch`: the value, known only now, has the wrong kind
 * - `number-range`: an integer outside its type
 * - `budget`: more steps than one expression, or one request, may take
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

/** Why an expression has no value for a request. The sentence tells names and kinds, never values. */
export type EvaluationFault = Span & { readonly reason: FaultReason; readonly sentence: string }

/** Carries a fault out of the evaluator. No Error: it is common, and its stack would say nothing. */
export class EvaluationStop {
  readonly fault: EvaluationFault

  constructor(reason: FaultReason, { offset, length }: Span, sentence: string) {
    this.fault = { reason, offset, length, sentence }
  }
}
