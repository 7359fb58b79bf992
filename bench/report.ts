import { machineTextWithSync } from "./machine.ts"
import type { Options } from "./options.ts"
import { MOST_DRIFT, type Run } from "./run.ts"
import { isAnchor, type SeriesName } from "./series.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "./spread.ts"
import type { SeriesSpreads, Verdict } from "./verdict.ts"

export type BenchReport = {
  date: string
  options: Options
  run: Run
  verdicts: Verdict[]
  series: Partial<Record<SeriesName, SeriesSpreads>>
}

export const TITLE = "Results of `npm run bench`"

/** Undefined: the run may be kept. */
export function whyDiscarded(run: Run): string | undefined {
  if (run.drift > MOST_DRIFT) {
    return `the bare signature moved by ${percent(run.drift)} between start and end, more than ${percent(MOST_DRIFT)}`
  }
  const others = shareOfOthers(run)
  if (others === undefined || others <= MOST_OTHERS) return undefined
  return `other programs took ${percent(others)} of the CPU, more than ${percent(MOST_OTHERS)}`
}

/** Beyond this it is not the service that was measured. Interrupts alone come to a few percent. */
const MOST_OTHERS = 0.15

/** Median over all windows. */
function shareOfOthers({ rounds }: Run): number | undefined {
  const shares = rounds.flatMap((round) => Object.values(round).map(({ othersShare }) => othersShare))
  return spreadOf(shares.filter((share) => share !== undefined))?.median
}

/** The report as Markdown. */
export function writeReport({ date, options, run, verdicts, series }: BenchReport): string {
  const { machine, databases } = run
  const discarded = whyDiscarded(run)
  const versions = Object.entries(databases).map(([place, version]) => `${place} ${version}`)
  return [
    `# ${TITLE}`,
    "",
    ...(discarded === undefined ? [] : [`**Discarded: ${discarded}.**`, ""]),
    `${date}: ${options.rounds} rounds of ${options.seconds} s for each figure, all interleaved in one run. ` +
      "Written as median [min–max]. Ratios are taken within a round, then their median.",
    "",
    `${machineTextWithSync(machine)}. ` +
      `The load generator runs on the same cores. PostgreSQL: ${versions.join(", ") || "none"}. ` +
      `Bare signatures moved by ${percent(run.drift)} between start and end; other programs took ` +
      `${percent(shareOfOthers(run) ?? 0)} of the CPU.`,
    "",
    "## Ratios",
    "",
    ratioTable(verdicts),
    "",
    "G14 is measured on a bare pipeline of the same shape that exists only in `bench/`: the service has no",
    "switches to turn these off.",
    "",
    "## Requests",
    "",
    requestTable(series),
    "",
    "## Bare libraries, one core",
    "",
    table(
      ["", "per second", "CPU µs"],
      rows(series, isAnchor).map(([name, figures]) => [
        name,
        cell(figures["perSecond"]),
        cell(figures["cpuUs.floor"]),
      ]),
    ),
    "",
    "## Memory, MiB",
    "",
    "Resident, and proportional: pages that processes share are divided among them. PostgreSQL is the sum of",
    "its processes, so that its shared buffers count once for each in the first column.",
    "",
    table(
      ["", "resident API / signer / PostgreSQL", "proportional"],
      rows(series, (name) => !isAnchor(name)).map(([name, figures]) => [
        name,
        medians(figures, "residentMiB"),
        medians(figures, "proportionalMiB"),
      ]),
    ),
    "",
  ].join("\n")
}

function ratioTable(verdicts: readonly Verdict[]): string {
  return table(
    ["", "Ratio", "Measured", "Must", "Goal", "Reached"],
    verdicts.map((verdict) => [
      verdict.id,
      verdict.says,
      verdict.ratio ? writeSpread(verdict.ratio) : "–",
      bound(verdict, verdict.must),
      verdict.goal === undefined ? "–" : bound(verdict, verdict.goal),
      verdict.reason === undefined ? verdict.reached : `${verdict.reached}: ${verdict.reason}`,
    ]),
  )
}

function requestTable(series: BenchReport["series"]): string {
  return table(
    ["", "per second", "p50 ms", "p99 ms", "CPU µs API / signer / PostgreSQL", "load µs"],
    rows(series, (name) => !isAnchor(name)).map(([name, figures]) => [
      name,
      cell(figures["perSecond"]),
      cell(figures["p50Ms"]),
      cell(figures["p99Ms"]),
      medians(figures, "cpuUs"),
      median(figures["cpuUs.load"]),
    ]),
  )
}

function rows(
  series: BenchReport["series"],
  isWanted: (name: SeriesName) => boolean,
): [string, SeriesSpreads][] {
  return Object.entries(series).filter(([name]) => isWanted(name as SeriesName))
}

function bound({ better }: Verdict, value: number): string {
  return `${better === "higher" ? "≥" : "≤"} ${value}`
}

function cell(spread: Spread | undefined): string {
  return spread ? writeSpread(spread) : "–"
}

function median(spread: Spread | undefined): string {
  return spread ? writeNumber(spread.median) : "–"
}

function medians(figures: SeriesSpreads, kind: string): string {
  return ["api", "signer", "postgres"].map((part) => median(figures[`${kind}.${part}`])).join(" / ")
}

function table(head: string[], body: string[][]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
