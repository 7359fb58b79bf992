// The bench of the dashboard in its short form: pages and lists are opened; its figures mean nothing.
import t from "tap"
import { judge, writeReport } from "../../bench/dashboard/report.ts"
import { measureDashboard, SHORT_PLAN } from "../../bench/dashboard/run.ts"
import { readOptions } from "../../bench/options.ts"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const inLongForm = isLong ? false : "long form: npm run test:long -- test/bench/dashboard.test.ts"
const skip = findChromium() ? inLongForm : NO_CHROMIUM

t.test("the short form opens pages and large lists", { skip }, async (t) => {
  const run = await measureDashboard(SHORT_PLAN, () => undefined)
  t.strictSame(
    run.pages.map(({ path }) => path),
    SHORT_PLAN.pages,
  )
  for (const { path, coldMs, warmMs, scriptBytes, styleBytes } of run.pages) {
    t.ok(
      [...coldMs, ...warmMs, scriptBytes, styleBytes].every((value) => value > 0),
      path,
    )
  }
  const report = writeReport("2026-01-01", SHORT_PLAN, run)
  t.match(report, "100,000 activities: first page")
  t.notMatch(report, /NaN|\| – \|/)
})

t.test("a figure above its bound is reported; the editor is not counted", async (t) => {
  const page = (path: string, coldMs: number, scriptBytes: number) => ({
    path,
    coldMs: [coldMs],
    warmMs: [1],
    scriptBytes,
    styleBytes: 1,
  })
  const reached = (first: number, bytes: number) =>
    judge({ pages: [page("/", first, bytes), page("/policies/new", 5000, 900_000)] }).map(
      ({ reached }) => reached,
    )
  t.strictSame(reached(1000, 200_000), [true, true])
  t.strictSame(reached(1001, 200_001), [false, false])
})

t.test("the family is asked for by its name", async (t) => {
  t.match(readOptions(["dashboard", "short"]), { family: "dashboard", short: true })
})
