// The bench of restarts: PostgreSQL is restarted under transactions, and leaves nothing behind.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { judge, writeReport } from "../../bench/restarts/report.ts"
import { FULL_PLAN, measureRestarts, PROBES, type RestartsRun } from "../../bench/restarts/run.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/restarts.test.ts"

t.test(
  "C4: in the long form restarts of PostgreSQL under transactions lose no connection and no request",
  { skip },
  async (t) => {
    const plan = FULL_PLAN
    const run = await measureRestarts(plan, () => undefined)
    t.equal(run.rows.length, plan.restarts)
    for (const row of run.rows) t.match(row, { probesServed: PROBES, other: 0, lost: 0 })
    for (const { name, value, bound } of judge(run)) t.equal(value, bound, name)
    t.notMatch(writeReport("2026-01-01", plan, run), "NaN")
  },
)

t.test("every loss is reported", (t) => {
  const row = { served: 1, unavailable: 1, other: 1, open: 0, lost: 1, probesServed: 9 }
  const run: RestartsRun = { rows: [row], repeated: 2, servedAgain: 1, end: { open: 9, lost: 0 } }
  for (const { name, reached } of judge(run)) t.notOk(reached, name)
  t.end()
})

t.test("the restarts family must be named alone", (t) => {
  t.match(readOptions(["restarts", "short"]), { family: "restarts", short: true })
  t.throws(() => readOptions(["restarts", "keys"]), /means nothing here/)
  t.end()
})
