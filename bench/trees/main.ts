// Measures this source tree against another commit of it, in one run: whether a change made requests faster or slower.
import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { machineTextWithSync } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { writeSpread } from "../spread.ts"
import { FULL_PLAN, measureTrees, SHORT_PLAN, type TreesRun } from "./run.ts"

/** Beyond this share of the CPU, other programs decide the figures. */
const MOST_OTHERS = 0.05

/** npm run bench -- trees --against COMMIT */
export async function benchTrees({ short, against }: Pick<Options, "short" | "against">): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const run = await measureTrees(against, plan, (line) => console.error(line))
  const title = `Against ${run.commit}`
  await keepRun("trees", {
    title,
    text: writeReport(title, date.slice(0, 10), plan, run),
    figures: { date, plan, run, verdicts: {} },
    discarded: whyDiscarded(run),
    isWhole: !short,
  })
}

export function whyDiscarded({ drift, othersShare }: TreesRun): string | undefined {
  if (drift > MOST_DRIFT) return `bare signatures moved by ${(drift * 100).toFixed(1)} %`
  if (othersShare > MOST_OTHERS) return `other programs took ${(othersShare * 100).toFixed(1)} % of the CPU`
  return undefined
}

export function writeReport(
  title: string,
  date: string,
  { rounds, seconds, warmUp }: typeof FULL_PLAN,
  { machine, drift, othersShare, loads }: TreesRun,
): string {
  const rows = loads.map(
    ({ name, perSecond, otherPerSecond, rate, p50, cpu }) =>
      `| ${name} | ${writeSpread(perSecond)} | ${writeSpread(otherPerSecond)} | ${writeSpread(rate)} | ${writeSpread(p50)} | ${cpu === undefined ? "–" : writeSpread(cpu)} |`,
  )
  return `# ${title}

${date}: this tree and the tree of that commit, each with a database of its own, in turn: ${rounds} rounds of ${seconds} s for each figure, after
${warmUp} requests. Ratios are this tree's figure ÷ the other's in the same round: median [min–max]. A change renames the organization.

${machineTextWithSync(machine)}. Bare signatures moved by ${(drift * 100).toFixed(1)} %; other programs took ${(othersShare * 100).toFixed(1)} % of the CPU
in the median window.

| | this tree, per second | the other, per second | rate | p50 | CPU of a request |
|---|---|---|---|---|---|
${rows.join("\n")}
`
}
