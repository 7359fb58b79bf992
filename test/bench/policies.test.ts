// The bench of policies in its short form: everything is evaluated; its figures mean nothing.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { judge, writeReport } from "../../bench/policies/report.ts"
import { erc20, typedData } from "../../bench/policies/requests.ts"
import { measurePolicies, SHORT_PLAN } from "../../bench/policies/run.ts"
import { Budget, compile, type RootReader, evaluate } from "../../signer/core/policy/expression.ts"

t.test("the short form measures every expression that is accepted", async (t) => {
  const run = measurePolicies(SHORT_PLAN)
  t.equal(run.expressions.length, 260)
  for (const { id, evaluateUs, compileUs } of run.expressions) {
    t.ok(evaluateUs.median > 0 && compileUs.median > 0, id)
  }
  const report = writeReport("2026-01-01", SHORT_PLAN, run)
  t.match(report, "100 policies on one request, typed data")
  t.match(report, "100 policies over a 0.9 MB payload: neighbour's added latency")
  t.notMatch(report, "NaN")
})

t.test("the benchmark's policies hold for their requests", async (t) => {
  const holds = (text: string, environment: RootReader) =>
    evaluate(compile(text, "condition"), environment, new Budget())
  t.strictSame(
    holds("eth.tx.contract_call_args['value'] <= 1000000 && eth.tx.data[0..10] == '0xa9059cbb'", erc20),
    {
      value: true,
    },
  )
  t.strictSame(
    holds("eth.eip_712.message['permitted'].count() == 2 && eth.eip_712.domain.version == ''", typedData()),
    {
      value: true,
    },
  )
})

t.test("a figure above its bound is reported", async (t) => {
  const runOf = (us: number, ms: number) => ({
    expressions: [{ id: "x", evaluateUs: { median: us, p99: us }, compileUs: { median: us, p99: us } }],
    requestsMs: { one: { median: ms, p99: ms } },
    decisionUs: { median: us, p99: us },
    walletDecisionUs: { median: us, p99: us },
    floorUs: { median: 72, p99: 72 },
    neighbourMs: { one: { median: us, p99: us * 5 } },
  })
  t.strictSame(
    judge(runOf(20, 2)).map(({ reached }) => reached),
    [true, true, true, true, true],
  )
  t.strictSame(
    judge(runOf(21, 2.1)).map(({ reached }) => reached),
    [false, false, false, false, false],
  )
})

t.test("the policies family must be named alone", async (t) => {
  t.match(readOptions(["policies", "short"]), { family: "policies", short: true })
})
