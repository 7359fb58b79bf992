import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Options } from "../options.ts"
import { keepSection } from "../results.ts"
import { judge, TITLE, writeReport } from "./report.ts"
import { FULL_PLAN, measurePolicies, SHORT_PLAN } from "./run.ts"

const OUT = join(import.meta.dirname, "..", "out")

/** npm run bench -- policies: evaluation and compilation of policies. */
export async function benchPolicies({ short }: Options): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = measurePolicies(plan)
  const text = writeReport(date.slice(0, 10), plan, run)
  console.log(text)
  await mkdir(OUT, { recursive: true })
  const file = `policies-${date.replaceAll(":", "-").slice(0, 19)}.json`
  await writeFile(
    join(OUT, file),
    `${JSON.stringify({ date, plan, run, verdicts: judge(run) }, undefined, 2)}\n`,
  )
  if (!short) await keepSection(TITLE, text)
}
