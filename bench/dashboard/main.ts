import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, writeReport } from "./report.ts"
import { FULL_PLAN, measureDashboard, SHORT_PLAN } from "./run.ts"

/** npm run bench -- dashboard: times until pages are usable, sizes of their scripts, and large lists. */
export async function benchDashboard({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureDashboard(plan, (line) => console.error(line))
  await keepRun("dashboard", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), plan, run),
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: undefined,
    isWhole: !short,
  })
}
