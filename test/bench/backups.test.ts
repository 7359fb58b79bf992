// The bench of backups in its short form: it makes, restores and rehearses a backup while callers sign.
import t from "tap"
import { writeReport } from "../../bench/backups/main.ts"
import { measureBackups, SHORT_PLAN } from "../../bench/backups/run.ts"

t.test("a backup is made while callers sign, and restored onto empty hosts", async (t) => {
  const run = await measureBackups(SHORT_PLAN, () => undefined)
  t.equal(run.count, SHORT_PLAN.count)
  t.ok(run.during.signatures > 0 && run.quiet.signatures > 0)
  t.ok(run.backup.bytes > 0)
  t.match(writeReport("2026-01-01", run), /120 organizations, 2 callers[^]*p99 grows \d+\.\d\d times/)
})
