import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, writeReport } from "./report.ts"
import { FULL_PLAN, measureRestarts, SHORT_PLAN } from "./run.ts"

/** npm run bench -- restarts: what restarts of the database leave behind. */
export async function benchRestarts({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureRestarts(plan, (line) => console.error(line))
  await keepRun("restarts", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), plan, run),
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: undefined,
    isWhole: !short,
  })
}
