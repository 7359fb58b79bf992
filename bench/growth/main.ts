import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, writeReport } from "./report.ts"
import { FULL_PLAN, measureGrowth, SHORT_PLAN } from "./run.ts"

/** npm run bench -- growth: bytes that each signature, denial, user, policy, wallet and sub-organization leaves. */
export async function benchGrowth({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureGrowth(plan, (line) => console.error(line))
  await keepRun("growth", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), run),
    figures: { date, plan, run, verdicts: judge(run) },
    // Sizes depend on no other program of the machine.
    discarded: undefined,
    isWhole: !short,
  })
}
