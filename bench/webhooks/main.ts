import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { FULL_PLAN, measureWebhooks, SHORT_PLAN } from "./run.ts"

/** npm run bench -- webhooks: an hour's notifications after an outage, and signatures meanwhile. */
export async function benchWebhooks({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureWebhooks(plan, (line) => console.error(line))
  await keepRun("webhooks", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), plan, run),
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: whyDiscarded(run),
    isWhole: !short,
  })
}
