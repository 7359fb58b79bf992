/** A stretch of an expression's text, in UTF-16 code units as JavaScript counts them. */
export type Span = { readonly offset: number; readonly length: number }

/**
 * - `syntax`: not a sentence of the grammar
 * - `type`: operands, elements or the result have the wrong type, or a literal means nothing
 * - `unknown-field`: names a root or a field that does not exist here
 * - `bound`: larger than `limits.ts` allows
 */
export type FaultKind = "syntax" | "type" | "unknown-field" | "bound"

/** What would have been right, where that can be said. */
export type Advice = { expected?: string; found?: string; suggestion?: string }

/** Why an expression is refused when it is created. The message quotes names out of it, never more. */
export class ExpressionFault extends Error {
  readonly kind: FaultKind
  readonly offset: number
  readonly length: number
  declare readonly expected?: string
  declare readonly found?: string
  declare readonly suggestion?: string

  constructor(kind: FaultKind, span: Span, sentence: string, advice: Advice = {}) {
    super(sentence)
    this.name = "ExpressionFault"
    this.kind = kind
    this.offset = span.offset
    this.length = span.length
    if (advice.expected !== undefined) this.expected = advice.expected
    if (advice.found !== undefined) this.found = advice.found
    if (advice.suggestion !== undefined) this.suggestion = advice.suggestion
  }

  /** The message with what would have been right: a name to write instead, or a hint in words. */
  advised(): string {
    const { kind, message, suggestion } = this
    if (suggestion === undefined) return message
    return kind === "unknown-field" && /^[a-z_]+$/.test(suggestion)
      ? `${message}. Did you mean ${suggestion}?`
      : `${message}; ${suggestion}`
  }
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
export class Stop {
  readonly fault: EvaluationFault

  constructor(reason: FaultReason, { offset, length }: Span, sentence: string) {
    this.fault = { reason, offset, length, sentence }
  }
}
