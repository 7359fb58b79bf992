import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { FULL_PLAN, measureKeys, type KeysPlan, SHORT_PLAN } from "./run.ts"

/** npm run bench -- keys: signatures, addresses, large requests and the cache of keys. */
export async function benchKeys({ rounds, seconds, short }: Options): Promise<void> {
  const plan: KeysPlan = short ? SHORT_PLAN : { ...FULL_PLAN, rounds, seconds }
  const date = new Date().toISOString()
  const run = await measureKeys(plan, (line) => console.error(line))
  const text = writeReport(date.slice(0, 10), plan, run)
  await keepRun("keys", {
    title: TITLE,
    text,
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: whyDiscarded(run),
    isWhole: !short,
  })
}
