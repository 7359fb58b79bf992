import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, writeReport } from "./report.ts"
import { FULL_PLAN, measurePolicies, SHORT_PLAN } from "./run.ts"

/** npm run bench -- policies: evaluation and compilation of policies. */
export async function benchPolicies({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = measurePolicies(plan)
  const text = writeReport(date.slice(0, 10), plan, run)
  await keepRun("policies", {
    title: TITLE,
    text,
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: undefined,
    isWhole: !short,
  })
}
