import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { judge, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { type FloodKind, floodKinds } from "./kinds.ts"
import { FULL_PLAN, measureFairness, SHORT_PLAN } from "./run.ts"

/** npm run bench -- fairness: latency of one organization beside floods of another. `--only` names kinds of floods. */
export async function benchFairness({ short, only }: Options): Promise<void> {
  const plan = { ...(short ? SHORT_PLAN : FULL_PLAN), kinds: kindsOf(only) }
  const date = new Date().toISOString()
  const run = await measureFairness(plan, (line) => console.error(line))
  const text = writeReport(date.slice(0, 10), plan, run)
  await keepRun("fairness", {
    title: TITLE,
    text,
    figures: { date, plan, run, verdicts: judge(run) },
    discarded: whyDiscarded(run),
    isWhole: !short && only.length === 0,
  })
}

function kindsOf(only: readonly string[]): readonly FloodKind[] {
  const unknown = only.find((name) => !floodKinds.some((kind) => kind === name))
  if (unknown !== undefined) throw new Error(`no flood is called ${unknown}: ${floodKinds.join(", ")}`)
  return only.length === 0 ? floodKinds : floodKinds.filter((kind) => only.includes(kind))
}
