import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Options } from "../options.ts"
import { keepSection } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { FULL_PLAN, measureFairness, SHORT_PLAN } from "./run.ts"

const OUT = join(import.meta.dirname, "..", "out")

/** npm run bench -- fairness: latency of one organization beside floods of another. */
export async function benchFairness({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureFairness(plan, (line) => console.error(line))
  const text = writeReport(date.slice(0, 10), plan, run)
  console.log(text)
  await mkdir(OUT, { recursive: true })
  const file = `fairness-${date.replaceAll(":", "-").slice(0, 19)}.json`
  await writeFile(
    join(OUT, file),
    `${JSON.stringify({ date, plan, run, verdicts: judge(run) }, undefined, 2)}\n`,
  )
  const discarded = whyDiscarded(run)
  if (short) return
  if (discarded !== undefined) console.log(`Discarded: ${discarded}. Nothing was written to RESULTS.md.`)
  else await keepSection(TITLE, text)
}
