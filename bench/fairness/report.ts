import { machineText } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "../spread.ts"
import { type FloodKind, floodKinds, floods } from "./kinds.ts"
import type { FairnessRound, FairnessRun, FairnessPlan } from "./run.ts"

export const TITLE = "Results of `npm run bench -- fairness`"

/** p99 beside a flood ÷ p99 alone. */
const MUST = 5
const GOAL = 2

export type FairnessVerdict = {
  kind: FloodKind
  ratio: Spread
  verdict: "goal reached" | "reached" | "missed"
}

/** Each flood's ratio: taken within a round. The must counts as reached if the range of the rounds touches it. */
export function judge({ rounds }: Pick<FairnessRun, "rounds">): FairnessVerdict[] {
  return floodKinds.flatMap((kind) => {
    const ratios = rounds.flatMap(({ alone, [kind]: beside }) => (beside ? beside.p99Ms / alone.p99Ms : []))
    if (ratios.length === 0) return []
    const ratio = spread(ratios)
    const { median, min } = ratio
    return { kind, ratio, verdict: median <= GOAL ? "goal reached" : min <= MUST ? "reached" : "missed" }
  })
}

/** Undefined: the run may be kept. */
export function whyDiscarded({ drift }: Pick<FairnessRun, "drift">): string | undefined {
  if (drift <= MOST_DRIFT) return undefined
  return `the bare signature moved by ${percent(drift)} between start and end, more than ${percent(MOST_DRIFT)}`
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: FairnessPlan, run: FairnessRun): string {
  const { machine, rounds, drift } = run
  const latencies = (figure: keyof FairnessRound) => [
    writeSpread(spread(rounds.flatMap((round) => round[figure]?.p50Ms ?? []))),
    writeSpread(spread(rounds.flatMap((round) => round[figure]?.p99Ms ?? []))),
  ]
  return [
    `# ${TITLE}`,
    "",
    `${date}: one organization signs on one connection, alone and beside each flood of another organization, which ` +
      `has ${plan.activities.toLocaleString("en")} activities. ${plan.rounds} rounds of ${writeNumber(plan.seconds)} s ` +
      "for each. Median [min–max] of the rounds; ratios are taken within a round.",
    "",
    `${machineText(machine)}. Bare signatures moved by ${percent(drift)}.`,
    "",
    row(["beside", "p50, ms", "p99, ms", "p99 ÷ alone", "must", "goal", "verdict", "replies to the flood"]),
    row(Array.from({ length: 8 }, () => "---")),
    row(["nothing", ...latencies("alone"), "", "", "", "", ""]),
    ...judge(run).map(({ kind, ratio, verdict }) => {
      const bounds = [`≤ ${MUST}`, `≤ ${GOAL}`]
      return row([
        floods[kind].name,
        ...latencies(kind),
        writeSpread(ratio),
        ...bounds,
        verdict,
        replies(rounds, kind),
      ])
    }),
    "",
  ].join("\n")
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`
}

function replies(rounds: readonly FairnessRound[], kind: FloodKind): string {
  const totals = new Map<string, number>()
  for (const round of rounds)
    for (const [status, count] of Object.entries(round[kind]?.flood ?? {}))
      totals.set(status, (totals.get(status) ?? 0) + count)
  return [...totals].map(([status, count]) => `${count} of ${status}`).join(", ")
}

function spread(values: readonly number[]): Spread {
  return spreadOf(values) ?? { median: Number.NaN, min: Number.NaN, max: Number.NaN }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
