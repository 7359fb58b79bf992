// The bench of webhooks in its short form: a backlog is delivered while signatures are made; its figures mean nothing.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { judge, whyDiscarded, writeReport } from "../../bench/webhooks/report.ts"
import { measureWebhooks, SHORT_PLAN, type WebhooksRun } from "../../bench/webhooks/run.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/webhooks.test.ts"

t.test("the short form delivers a backlog after an outage, and loses nothing", { skip }, async (t) => {
  const run = await measureWebhooks(SHORT_PLAN, () => undefined)
  t.ok(run.backlog >= SHORT_PLAN.backlog)
  t.ok(run.sent >= run.backlog)
  t.equal(run.lost, 0)
  t.equal(run.drain.deliveries, run.sent)
  for (const rates of Object.values(run.signing)) t.ok(rates.length === 1 && (rates[0] ?? 0) > 0)
  t.notMatch(writeReport("2026-01-01", SHORT_PLAN, run), "NaN")
})

t.test("a loss, a slow delivery and harm to signatures are reported", (t) => {
  const runOf = (
    lost: number,
    seconds: number,
    down: number,
    draining: number,
  ): Parameters<typeof judge>[0] => ({
    signing: { alone: [90, 100, 110], down: [down], draining: [draining] },
    drain: { deliveries: 1, seconds },
    lost,
  })
  const reached = (run: Pick<WebhooksRun, "signing" | "drain" | "lost">) =>
    judge(run).map((verdict) => verdict.reached)
  t.strictSame(reached(runOf(0, 360, 50, 50)), [true, true, true, true])
  t.strictSame(reached(runOf(1, 361, 49, 49)), [false, false, false, false])
  t.equal(whyDiscarded({ drift: 0 }), undefined)
  t.match(whyDiscarded({ drift: 0.2 }), "moved by 20.0 %")
  t.end()
})

t.test("the webhooks family must be named alone", (t) => {
  t.match(readOptions(["webhooks", "short"]), { family: "webhooks", short: true })
  t.throws(() => readOptions(["webhooks", "keys"]), /means nothing here/)
  t.end()
})
