import { Budget } from "../../signer/core/policy/language/frame.ts"
import type { Checked } from "../../signer/core/policy/language/checked.ts"
import {
  type Compiled,
  evaluate,
  type Evaluation,
  programOf,
  type RootReader,
} from "../../signer/core/policy/language/compile.ts"
import type { Span } from "../../signer/core/policy/language/fault.ts"
import { MAX_STEPS } from "../../signer/core/policy/language/limits.ts"

/** The result of one clause. Its text is from the policy; values of the request are not shown. */
export type Explanation = Span & {
  readonly text: string
  readonly outcome: Evaluation
  /** Operator that combines the parts; a clause without parts is one comparison, test or lambda. */
  readonly operator?: "and" | "or" | "not"
  readonly parts: readonly Explanation[]
}

/**
 * Splits an expression at `&&`, `||` and `!` and evaluates each clause for a request.
 * @param outcome of the whole expression, by `evaluate`
 * @param budget of all clauses together
 */
export function explain(
  compiled: Compiled,
  readRoot: RootReader,
  outcome: Evaluation = evaluate(compiled, readRoot, new Budget()),
  budget: Budget = new Budget(MAX_STEPS),
): Explanation {
  const clauses = { text: compiled.text, readRoot, budget }
  return { ...explainNode(compiled.syntax, clauses), outcome }
}

/** The clauses that decided the outcome: another value of one of them could change it. */
export function decidingClauses({ outcome, operator, parts, ...clause }: Explanation): Explanation[] {
  if (operator === undefined) return [{ outcome, parts, ...clause }]
  const faulty = faultyPart(parts)
  if (faulty !== undefined) return decidingClauses(faulty)
  const value = "value" in outcome && outcome.value
  // The parts of a true && are all needed, one of a true || is enough; the reverse for false.
  const isDeciding = (part: Explanation) =>
    operator === "not" || ("value" in part.outcome && part.outcome.value === value)
  return parts.filter(isDeciding).flatMap(decidingClauses)
}

/** The part whose fault is that of the whole: a root that the request lacks, else the first fault in the text. */
function faultyPart(parts: readonly Explanation[]): Explanation | undefined {
  const faulty = parts.filter(({ outcome }) => "fault" in outcome)
  return (
    faulty.find(({ outcome }) => "fault" in outcome && outcome.fault.reason === "missing-root") ?? faulty[0]
  )
}

type Clauses = { text: string; readRoot: RootReader; budget: Budget }

function explainNode(node: Checked, clauses: Clauses): Explanation {
  const { offset, length } = node
  const text = clauses.text.slice(offset, offset + length)
  const place = { offset, length, text }
  switch (node.kind) {
    case "and":
    case "or": {
      const parts = node.parts.map((part) => explainNode(part, clauses))
      return { ...place, outcome: joined(node.kind, parts), operator: node.kind, parts }
    }
    case "not": {
      const part = explainNode(node.operand, clauses)
      const outcome = "value" in part.outcome ? { value: !part.outcome.value } : part.outcome
      return { ...place, outcome, operator: "not", parts: [part] }
    }
    default: {
      const outcome = evaluate({ program: programOf(node) }, clauses.readRoot, clauses.budget)
      return { ...place, outcome, parts: [] }
    }
  }
}

function joined(operator: "and" | "or", parts: readonly Explanation[]): Evaluation {
  const faulty = faultyPart(parts)
  if (faulty !== undefined) return faulty.outcome
  const values = parts.map(({ outcome }) => "value" in outcome && outcome.value)
  return { value: operator === "and" ? values.every(Boolean) : values.some(Boolean) }
}
