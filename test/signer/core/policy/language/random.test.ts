import { EXPRESSION_KINDS, isFault } from "../../../../../signer/core/fault.ts"
import fc from "fast-check"
import t from "tap"
import { decidingClauses, explain } from "../../../../../services/policy-advice/explain.ts"
import { lint } from "../../../../../services/policy-advice/lint.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { type Data, interpret, type Tree, write } from "./interpreter.ts"
import { data, environmentOf, trees } from "./random-trees.ts"
import { runsOf } from "../../../../harness/long.ts"

t.test("evaluates as a second interpreter does, errors included", async (t) => {
  const counts = { true: 0, false: 0, error: 0, refused: 0 }
  fc.assert(
    fc.property(trees, data, fc.infiniteStream(fc.boolean()), (tree, values, parentheses) => {
      const text = write(tree, () => parentheses.next().value === true && Math.abs(count(tree)) < 12)
      const found = evaluated(text, values)
      counts[`${found}`] += 1
      if (found === "refused") return
      if (found !== interpret(tree, values)) throw new Error(`${text}: ${found}`)
    }),
    { numRuns: runsOf(4_000) },
  )
  t.ok(counts.true > runsOf(200), `${counts.true} true`)
  t.ok(counts.false > runsOf(200), `${counts.false} false`)
  t.ok(counts.error > runsOf(400), `${counts.error} in error`)
  t.ok(counts.refused < 400, `${counts.refused} too large`)
})

t.test("explained clauses make up the whole, and lints name only places in the text", async (t) => {
  fc.assert(
    fc.property(trees, data, (tree, values) => {
      const text = write(tree, () => false)
      const compiled = tryCompile(text)
      if (compiled === undefined) return
      const environment = environmentOf(values)
      const whole = evaluate(compiled, environment, new Budget())
      const explained = explain(compiled, environment)
      if (!isSame(explained.outcome, whole)) throw new Error(`${text}: explained otherwise`)
      const decisive = decidingClauses(explained)
      if (decisive.length === 0) throw new Error(`${text}: nothing decided`)
      // A clause is a sentence of its own, and gives alone what it gave within the whole.
      for (const clause of decisive) {
        const alone = evaluated(clause.text, values)
        const within = "value" in clause.outcome ? clause.outcome.value : "error"
        if (alone !== within) throw new Error(`${clause.text}: ${alone} alone, ${within} in ${text}`)
      }
      for (const { offset, length } of lint(compiled, { effect: "deny" })) {
        if (offset < 0 || length < 0 || offset + length > text.length)
          throw new Error(`${text}: points outside`)
      }
    }),
    { numRuns: runsOf(1_000) },
  )
  t.pass("for every expression tried")
})

function evaluated(text: string, values: Data): boolean | "error" | "refused" {
  const compiled = tryCompile(text)
  if (compiled === undefined) return "refused"
  const result = evaluate(compiled, environmentOf(values), new Budget())
  return "value" in result ? result.value : "error"
}

/** Undefined for what is beyond a limit, which the trees know nothing of. */
function tryCompile(text: string) {
  try {
    return compile(text, "condition")
  } catch (error) {
    if (isFault(error, ...EXPRESSION_KINDS) && error.kind === "bound") return undefined
    throw error
  }
}

function isSame(one: ReturnType<typeof evaluate>, other: ReturnType<typeof evaluate>): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function count(tree: Tree): number {
  return JSON.stringify(tree).split('"is"').length - 1
}
