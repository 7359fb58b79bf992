import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { FULL_PLAN, measureLogins, SHORT_PLAN } from "./run.ts"

/** npm run bench -- login: whole logins through the auth proxy, and the store of one-time codes. */
export async function benchLogin({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureLogins(plan, (line) => console.error(line))
  await keepRun("login", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), plan, run),
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: whyDiscarded(run),
    isWhole: !short,
  })
}
