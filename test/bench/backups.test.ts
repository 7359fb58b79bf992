// The bench of backups: its report, and in the long form a backup that it makes, restores and rehearses while callers sign.
import t from "tap"
import { judge, writeReport } from "../../bench/backups/main.ts"
import { type BackupRun, measureBackups, SHORT_PLAN } from "../../bench/backups/run.ts"
import { isLong } from "../harness/long.ts"

/** Backups of a running system, and restorations onto empty hosts, are tested in test/e2e in the short form too. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/backups.test.ts"

t.test("a backup is made while callers sign, and restored onto empty hosts", { skip }, async (t) => {
  const run = await measureBackups(SHORT_PLAN, () => undefined)
  t.equal(run.count, SHORT_PLAN.count)
  t.ok(run.during.signatures > 0 && run.quiet.signatures > 0)
  t.ok(run.backup.bytes > 0)
  t.match(writeReport("2026-01-01", run), /120 organizations, 2 callers[^]*p99 grows \d+\.\d\d times/)
})

t.test("the report of backups says which goals are missed", async (t) => {
  const run: BackupRun = {
    machine: { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 },
    count: 120,
    callers: 2,
    quiet: { signatures: 9, p50Ms: 1, p99Ms: 4 },
    during: { signatures: 8, p50Ms: 2, p99Ms: 10 },
    backup: { databaseSeconds: 1, signerSeconds: 2, bytes: 3_000_000 },
    restore: { databaseSeconds: 600, signerSeconds: 300, rehearsalSeconds: 5 },
    startSeconds: 5.1,
  }
  t.strictSame(judge(run), { start: false, slowdown: false, restoration: true })
  t.match(
    writeReport("2026-01-01", run),
    /120 organizations, 2 callers[^]*p99 grows 2\.50 times \(goal: ≤ 2, missed\)[^]*archive has 3\.0 MB[^]*together 900\.0 s\n\(goal: ≤ 15 min, met\)/,
  )
})
