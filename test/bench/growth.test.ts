// The bench of growth in its short form: each kind of thing is made; its figures mean nothing.
import t from "tap"
import { judge, writeReport } from "../../bench/growth/report.ts"
import { type GrowthRun, measureGrowth, SHORT_PLAN, SIGNATURE } from "../../bench/growth/run.ts"
import { growthOf } from "../../bench/growth/sizes.ts"
import { THINGS } from "../../bench/growth/things.ts"
import { readOptions } from "../../bench/options.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/growth.test.ts"

t.test("the short form makes each thing and measures it", { skip }, async (t) => {
  const run = await measureGrowth(SHORT_PLAN, () => undefined)
  t.strictSame(
    run.things.map(({ name }) => name),
    [SIGNATURE, ...Object.keys(THINGS)],
  )
  const [signature, denied] = run.things
  t.ok((signature?.count ?? 0) >= SHORT_PLAN.signatures)
  t.ok((signature?.growth.tables["activities"] ?? 0) > 300)
  t.ok((denied?.growth.tables["activities"] ?? 0) > 20_000)
  t.notMatch(writeReport("2026-01-01", run), "NaN")
})

t.test("a signature over the bound is reported", (t) => {
  const runOf = (activities: number): GrowthRun => ({
    things: [{ name: SIGNATURE, count: 1, growth: { tables: { activities }, ledger: 0 } }],
  })
  t.match(judge(runOf(1_000)), [{ reached: true }])
  t.match(judge(runOf(1_001)), [{ reached: false }])
  const sizes = (bytes: number) => ({ tables: { kept: 5, grown: bytes }, ledger: bytes })
  t.strictSame(growthOf(sizes(10), sizes(50), 4), { tables: { grown: 10 }, ledger: 10 })
  t.match(readOptions(["growth", "short"]), { family: "growth", short: true })
  t.end()
})
