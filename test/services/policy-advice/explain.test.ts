import t from "tap"
import { decidingClauses, explain } from "../../../services/policy-advice/explain.ts"
import { compile } from "../../../signer/core/policy/expression.ts"
import { rootReader, type Plain } from "../../signer/core/policy/language/helpers.ts"

const roots = { activity: { action: "SIGN", params: {} }, wallet: { id: "w", label: "l" } }

function decidingTexts(text: string, values: { [root: string]: Plain } = roots): string[] {
  return decidingClauses(explain(compile(text, "condition"), rootReader(values))).map((clause) => clause.text)
}

t.test("explains the result of every clause", async (t) => {
  const text = "activity.action == 'SIGN' && (wallet.id == 'x' || !(wallet.label == 'l'))"
  const explained = explain(compile(text, "condition"), rootReader(roots))
  t.match(explained, { operator: "and", outcome: { value: false }, text })
  const [first, second] = explained.parts
  t.match(first, { text: "activity.action == 'SIGN'", outcome: { value: true }, parts: [] })
  t.match(second, { operator: "or", outcome: { value: false } })
  t.strictSame(
    second?.parts.map((part) => [part.text, part.outcome]),
    [
      ["wallet.id == 'x'", { value: false }],
      ["!(wallet.label == 'l')", { value: false }],
    ],
  )
  t.match(second?.parts[1]?.parts[0], { text: "wallet.label == 'l'", outcome: { value: true } })
})

t.test("names the clauses that decided", async (t) => {
  t.strictSame(decidingTexts("activity.action == 'SIGN' && wallet.id == 'x'"), ["wallet.id == 'x'"])
  t.strictSame(decidingTexts("activity.action == 'SIGN' || wallet.id == 'x'"), ["activity.action == 'SIGN'"])
  t.strictSame(decidingTexts("wallet.id == 'w' && wallet.label == 'l'"), [
    "wallet.id == 'w'",
    "wallet.label == 'l'",
  ])
  t.strictSame(decidingTexts("!(wallet.id == 'w' && wallet.label == 'x')"), ["wallet.label == 'x'"])
  t.strictSame(decidingTexts("wallet.id == 'w'"), ["wallet.id == 'w'"])
})

t.test("a clause in error decides alone, and the other clauses still have results", async (t) => {
  const text = "wallet.id == 'x' || eth.tx.nonce == 1 || wallet.label == 'l'"
  const explained = explain(compile(text, "condition"), rootReader(roots))
  t.match(explained.outcome, { fault: { reason: "missing-root", offset: 20, length: 6 } })
  t.strictSame(
    explained.parts.map(({ outcome }) => ("value" in outcome ? outcome.value : outcome.fault.reason)),
    [false, "missing-root", true],
  )
  t.strictSame(decidingTexts(text), ["eth.tx.nonce == 1"])
})

t.test("clauses together cost no more than twice an evaluation", async (t) => {
  const long = Array.from({ length: 400 }, () => "x")
  const text = Array.from(
    { length: 40 },
    () => "private_key.tags.all(a, private_key.tags.any(b, a == b))",
  ).join(" && ")
  const explained = explain(compile(text, "condition"), rootReader({ private_key: { tags: long } }))
  t.match(explained.outcome, { fault: { reason: "budget" } })
  t.ok(explained.parts.every(({ outcome }) => "fault" in outcome))
})
