import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { FULL_PLAN, measureFamilies, type SubOrgsPlan, SHORT_PLAN } from "./run.ts"

/** npm run bench -- suborgs: creation and look-ups of sub-organizations at growing numbers. */
export async function benchSubOrganizations(options: Options): Promise<void> {
  const { rounds, seconds, short, only } = options
  const plan: SubOrgsPlan = short ? SHORT_PLAN : { ...FULL_PLAN, rounds, seconds }
  const isWhole = !short && only.length === 0
  if (only.length > 0) plan.sizes = only.map(readSize)
  const date = new Date().toISOString()
  const run = await measureFamilies(plan, (line) => console.error(line))
  const text = writeReport(date.slice(0, 10), plan, run)
  await keepRun("suborgs", {
    title: TITLE,
    text,
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: whyDiscarded(run),
    isWhole,
  })
}

function readSize(word: string): number {
  const size = Number(word)
  if (!(Number.isInteger(size) && size >= 2)) throw new Error(`${word} is no number of sub-organizations`)
  return size
}
