import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { FULL_PLAN, measureFairness, SHORT_PLAN } from "./run.ts"

/** npm run bench -- fairness: latency of one organization beside floods of another. */
export async function benchFairness({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureFairness(plan, (line) => console.error(line))
  const text = writeReport(date.slice(0, 10), plan, run)
  await keepRun("fairness", {
    title: TITLE,
    text,
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: whyDiscarded(run),
    isWhole: !short,
  })
}
