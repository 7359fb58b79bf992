import { Effect, Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Policy } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  type Decision,
  decidingItem,
  evaluateItems,
  strictestOutcomes,
} from "../../signer/core/policy/decision/decide.ts"
import type { DecisionInput } from "../../signer/core/policy/decision/decision-input.ts"
import { policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import {
  Budget,
  type Compiled,
  type RootReader,
  evaluate,
  type Evaluation,
} from "../../signer/core/policy/expression.ts"
import { approvalFacts, timeFacts } from "../../signer/core/policy/facts/approvals.ts"
import { MAX_APPROVAL_STEPS } from "../../signer/core/policy/language/limits.ts"
import { type ExpressionAdvice, compileExpressions, policyWarnings } from "./check.ts"
import { decidingClauses, explain, type Explanation } from "./explain.ts"
import { knownNamesOf } from "./known.ts"
import type { Steps } from "../../signer/core/turns/steps.ts"

/** The outcome of one policy, and the clauses that decided it. */
export type PolicyTrace = {
  /** Empty for a draft that is a new policy. */
  policyId: string
  name: string
  effect: "allow" | "deny"
  outcome: Outcome
  /** In a batch: index of the payload on which the policy has the outcome, which the clauses explain. */
  payloadIndex?: number
  expressions: ExpressionTrace[]
  /** Warnings about the policy as a whole. */
  warnings: string[]
}

export type ExpressionTrace = ExpressionAdvice & {
  result: TracedResult
  /** The clauses that decided the result, in the order of the text. */
  deciding: Clause[]
}

/** "invalid": the expression would be refused. "error": it has no value for this activity. */
export type TracedResult = "true" | "false" | "error" | "invalid"

/** A clause with its result. `sentence`: the reason why it has no value. */
export type Clause = {
  offset: number
  length: number
  text: string
  result: TracedResult
  sentence?: string
}

/** Steps of all clauses of one explanation. After them expressions have a result and no clauses. */
const MAX_TRACE_STEPS = 100_000

/** Explains every policy of a decision, one in each slice. */
export function* explainPolicies(input: DecisionInput, { items }: Decision): Steps<PolicyTrace[]> {
  const { document } = input.organization
  const explainer = new Explainer(input)
  // A decision of the root quorum evaluates no policies; their outcomes are shown all the same.
  const results = items.length > 0 ? items.map(({ policies }) => policies) : evaluateItems(input)
  const outcomes = strictestOutcomes(results)
  const decided = Math.max(0, decidingItem(items))
  const traces: PolicyTrace[] = []
  for (const [index, policy] of document.policies.entries()) {
    const outcome = outcomes[index]?.outcome ?? Outcome.UNSPECIFIED
    const hasOutcome = (item: number) => results[item]?.[index]?.outcome === outcome
    const item = hasOutcome(decided) ? decided : results.findIndex((_, at) => hasOutcome(at))
    traces.push(explainer.trace(policy, index, outcome, Math.max(0, item)))
    yield
  }
  return traces
}

/** Explains policies one after another, within one budget for all of them. */
class Explainer {
  readonly #input: DecisionInput
  readonly #readers: { readonly consensus: RootReader; readonly time: RootReader }
  readonly #approvals = new Budget(MAX_APPROVAL_STEPS)
  readonly #budget = new Budget(MAX_TRACE_STEPS)

  constructor(input: DecisionInput) {
    this.#input = input
    this.#readers = { consensus: approvalFacts(input.approvals), time: timeFacts(input.nowMs) }
  }

  /** @param item the item of a batch on which the policy has the outcome */
  trace(
    { policyId, name, effect: declared, ...texts }: Policy,
    index: number,
    outcome: Outcome,
    item: number,
  ): PolicyTrace {
    const effect = declared === Effect.ALLOW ? "allow" : "deny"
    const { organization, facts, nowMs } = this.#input
    const compiled = policiesOf(organization).policies[index]
    const expressions = compileExpressions(
      texts,
      knownNamesOf(effect, organization.document, nowMs),
      compiled,
    )
    return {
      policyId,
      name,
      effect,
      outcome,
      ...(facts.items.length > 1 && { payloadIndex: item }),
      expressions: expressions.map((one) => this.#explain(one, item)),
      warnings: policyWarnings(effect, texts),
    }
  }

  #explain(
    { compiled, ...checked }: ExpressionAdvice & { compiled?: Compiled },
    item: number,
  ): ExpressionTrace {
    if (compiled === undefined) return { ...checked, result: "invalid", deciding: [] }
    const { facts } = this.#input
    const { field } = checked
    const readRoot = field === "condition" ? facts.reader(item) : this.#readers[field]
    const evaluation =
      field === "condition"
        ? facts.policies.evaluate(compiled, item)
        : evaluate(compiled, readRoot, this.#approvals)
    const clauses = this.#clauses(compiled, readRoot, evaluation)
    return {
      ...checked,
      result: resultOf(evaluation),
      deciding: clauses.map(({ offset, length, text: clause, outcome }) => ({
        offset,
        length,
        text: clause,
        result: resultOf(outcome),
        ...("fault" in outcome && { sentence: this.#sentenceOf(outcome.fault) }),
      })),
    }
  }

  /** An activity of the root quorum alone has a type, and conditions see nothing of it. */
  #sentenceOf({ reason, sentence }: { reason: string; sentence: string }): string {
    return reason === "missing-root" && this.#input.activity.authority === Authority.ROOT_QUORUM
      ? "the root quorum alone decides on this activity, so conditions see none of it"
      : sentence
  }

  /** The deciding clauses; none after the budget's end. */
  #clauses(compiled: Compiled, readRoot: RootReader, evaluation: Evaluation): Explanation[] {
    if (this.#budget.left === 0) return []
    const clauses = decidingClauses(explain(compiled, readRoot, evaluation, this.#budget))
    return this.#budget.left === 0 ? [] : clauses
  }
}

function resultOf(evaluation: Evaluation): TracedResult {
  if ("fault" in evaluation) return "error"
  return evaluation.value ? "true" : "false"
}
