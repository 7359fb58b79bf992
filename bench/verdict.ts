import { type Goal, goals, type Measurement, type Round } from "./goals.ts"
import { isAnchor, readLoadName, type SeriesName, seriesNames } from "./series.ts"
import { type Spread, spreadOf } from "./spread.ts"

export type Verdict = Pick<Goal, "id" | "says" | "must" | "goal" | "better"> & {
  /** Undefined: not measured. */
  ratio: Spread | undefined
  reached: "goal" | "must" | "missed" | "not run"
  /** Why it was not run. */
  reason?: string
}

/** Each goal's ratio: the median of the rounds' ratios, each taken within its round. */
export function judge(rounds: readonly Round[], notRun: Record<string, string>): Verdict[] {
  return goals.map((goal) => {
    const { id, says, better, must } = goal
    const told = { id, says, better, must, goal: goal.goal }
    const ratio = spreadOf(rounds.map((round) => goal.ratio(round)))
    if (ratio) return { ...told, ratio, reached: reachedBy(ratio.median, goal) }
    const places = goal.needs.flatMap((name) => (isAnchor(name) ? [] : readLoadName(name).place))
    const reason = places.map((place) => notRun[place]).find((why) => why !== undefined)
    return { ...told, ratio, reached: "not run", reason: reason ?? "left out of this run" }
  })
}

function reachedBy(value: number, { better, must, goal = must }: Pick<Goal, "better" | "must" | "goal">) {
  const isWithin = (bound: number) => (better === "higher" ? value >= bound : value <= bound)
  return isWithin(goal) ? "goal" : isWithin(must) ? "must" : "missed"
}

export type SeriesSpreads = Record<string, Spread>

/** Spreads of all figures of one series, by name: perSecond, p50Ms, cpuUs.api … */
export function summarize(rounds: readonly Round[]): Partial<Record<SeriesName, SeriesSpreads>> {
  const summary: Partial<Record<SeriesName, SeriesSpreads>> = {}
  for (const name of seriesNames) {
    const flat = rounds.flatMap((round) => (round[name] ? [flatten(round[name])] : []))
    const [first] = flat
    if (first === undefined) continue
    const spreads: SeriesSpreads = {}
    for (const figure of Object.keys(first)) {
      const spread = spreadOf(flat.map((figures) => figures[figure] ?? Number.NaN))
      if (spread) spreads[figure] = spread
    }
    summary[name] = spreads
  }
  return summary
}

function flatten(measurement: Measurement): Record<string, number> {
  const figures = Object.entries(measurement).flatMap(([name, value]): [string, number][] =>
    typeof value === "number"
      ? [[name, value]]
      : Object.entries(value).map(([part, number]) => [`${name}.${part}`, number]),
  )
  return Object.fromEntries(figures)
}
