// Measures backups of a deployment while it signs: what callers feel meanwhile, and how long a restoration takes.
import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { type BackupRun, FULL_PLAN, measureBackups, SHORT_PLAN } from "./run.ts"

const TITLE = "Backups"
/** p99 of signatures while a backup is made, as a multiple of that without. */
const MAX_SLOWDOWN = 2
const MAX_RESTORE_SECONDS = 15 * 60
const MAX_START_SECONDS = 5

/** npm run bench -- backups: `--only N` names the number of organizations. */
export async function benchBackups({ short, only }: Pick<Options, "short" | "only">): Promise<void> {
  const [count] = only.map(Number)
  const plan = short ? SHORT_PLAN : { ...FULL_PLAN, count: count ?? FULL_PLAN.count }
  const date = new Date().toISOString()
  const run = await measureBackups(plan, (line) => console.error(line))
  await keepRun("backups", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), run),
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: undefined,
    isWhole: !short && only.length === 0,
  })
}

export function judge({ quiet, during, restore, startSeconds }: BackupRun) {
  return {
    start: startSeconds <= MAX_START_SECONDS,
    slowdown: during.p99Ms / quiet.p99Ms <= MAX_SLOWDOWN,
    restoration: restore.signerSeconds + restore.databaseSeconds <= MAX_RESTORE_SECONDS,
  }
}

const word = (isMet: boolean) => (isMet ? "met" : "missed")

export function writeReport(date: string, run: BackupRun): string {
  const { count, quiet, during, backup, restore } = run
  const verdicts = judge(run)
  const total = restore.signerSeconds + restore.databaseSeconds
  return `# ${TITLE}

Measured on ${date}: ${count} organizations, ${run.callers} callers who sign one after the other.

| | signatures | p50 | p99 |
|---|---|---|---|
| without a backup | ${quiet.signatures} | ${quiet.p50Ms.toFixed(1)} ms | ${quiet.p99Ms.toFixed(1)} ms |
| while one is made | ${during.signatures} | ${during.p50Ms.toFixed(1)} ms | ${during.p99Ms.toFixed(1)} ms |

p99 grows ${(during.p99Ms / quiet.p99Ms).toFixed(2)} times (goal: ≤ ${MAX_SLOWDOWN}, ${word(verdicts.slowdown)}). The database's part took ${backup.databaseSeconds.toFixed(1)} s, the signer's
${backup.signerSeconds.toFixed(1)} s, and the archive has ${(backup.bytes / 1e6).toFixed(1)} MB.

Onto empty hosts the database was restored in ${restore.databaseSeconds.toFixed(1)} s and the signer's part in ${restore.signerSeconds.toFixed(1)} s: together ${total.toFixed(1)} s
(goal: ≤ ${MAX_RESTORE_SECONDS / 60} min, ${word(verdicts.restoration)}). A rehearsal of all parts took ${restore.rehearsalSeconds.toFixed(1)} s.

The signer of these organizations was ready ${run.startSeconds.toFixed(1)} s after its start (goal: ≤ ${MAX_START_SECONDS} s, ${word(verdicts.start)}).
`
}
