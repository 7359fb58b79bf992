import { machineTextWithSync } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "../spread.ts"
import type { Latency, SizeRound } from "./measure.ts"
import type { FamilyRun, SubOrgsPlan, SizeRun } from "./run.ts"

export const TITLE = "Results of `npm run bench -- suborgs`"

/** The largest deployment may take less than twice as long as the smallest. */
const MUST = 2

export type SubOrgsVerdict = { name: string; ratio: Spread; storeRatio: Spread; reached: boolean }

/** Each look-up's ratio between the largest and the smallest size: taken within a round, then the median. */
export function judge({ sizes }: FamilyRun): SubOrgsVerdict[] {
  const [smallest, largest] = [sizes[0], sizes.at(-1)]
  if (smallest === undefined || largest === undefined) return []
  return namesOf(smallest).map((name) => {
    const ratioOf = (figure: keyof Latency) =>
      spread(
        largest.rounds.map((round, at) => {
          const below = smallest.rounds[at]?.latencies[name]?.[figure] ?? Number.NaN
          return (round.latencies[name]?.[figure] ?? Number.NaN) / below
        }),
      )
    const [ratio, storeRatio] = [ratioOf("p50Ms"), ratioOf("storeP50Ms")]
    return { name, ratio, storeRatio, reached: ratio.median < MUST && storeRatio.median < MUST }
  })
}

/** Creation with the most sub-organizations is at least this share of creation with the fewest. */
const CREATION_MUST = 0.8

/** The ratio of creation, largest to smallest, within a round. */
export function creationRatio({ sizes }: FamilyRun): Spread {
  const [smallest, largest] = [sizes[0]?.rounds ?? [], sizes.at(-1)?.rounds ?? []]
  return spread(
    largest.map(({ creation }, at) => creation.perSecond / (smallest[at]?.creation.perSecond ?? Number.NaN)),
  )
}

function creationVerdict(run: FamilyRun): string {
  const ratio = creationRatio(run)
  const verdict = ratio.max >= CREATION_MUST ? "reached" : "missed"
  return `Creations per second, largest ÷ smallest: ${writeSpread(ratio)}; must be at least ${CREATION_MUST}: ${verdict}.`
}

/** Undefined: the run may be kept. */
export function whyDiscarded({ drift }: FamilyRun): string | undefined {
  if (drift <= MOST_DRIFT) return undefined
  return `the bare signature moved by ${percent(drift)} between start and end, more than ${percent(MOST_DRIFT)}`
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: SubOrgsPlan, run: FamilyRun): string {
  const { machine, sizes, drift } = run
  const counts = sizes.map(({ count }) => count.toLocaleString("en"))
  return [
    `# ${TITLE}`,
    "",
    `${date}: one deployment for each of ${counts.join(", ")} sub-organizations, all at once; ${plan.rounds} rounds of ` +
      `${plan.samples} look-ups of each kind, each for another customer. Median [min–max] of the rounds; ratios are ` +
      "taken within a round.",
    "",
    `${machineTextWithSync(machine)}. ` +
      `PostgreSQL ${sizes[0]?.databaseVersion ?? "unknown"}. Bare signatures moved by ${percent(drift)}.`,
    "",
    "## Look-ups through the API, one connection: p50 ms",
    "",
    latencyTable(run, "p50Ms", "ratio"),
    "",
    "## The same of the tables alone: p50 ms",
    "",
    latencyTable(run, "storeP50Ms", "storeRatio"),
    "",
    "## Look-ups through the API: p99 ms",
    "",
    table(
      ["", ...counts],
      judge(run).map(({ name }) => [name, ...sizes.map((size) => cell(size, latency(name, "p99Ms")))]),
    ),
    "",
    "## Creation, each with a wallet and two accounts",
    "",
    table(
      ["", ...counts],
      [
        ["per second", ...sizes.map((size) => cell(size, ({ creation }) => creation.perSecond))],
        ...(["api", "signer", "postgres"] as const).map((part) => [
          `CPU µs ${part}`,
          ...sizes.map((size) => cell(size, ({ creation }) => creation.cpuUs[part] ?? Number.NaN)),
        ]),
        [
          "seconds to fill it in bulk, without wallets",
          ...sizes.map((size) => writeNumber(size.loadSeconds)),
        ],
        [
          "seconds from the start until the signer had verified its index, before all this",
          ...sizes.map((size) => writeNumber(size.indexSeconds)),
        ],
      ],
    ),
    "",
    creationVerdict(run),
    "",
    "## Signer's memory, resident MiB, after opening so many organizations",
    "",
    memoryTable(run, plan),
    "",
  ].join("\n")
}

function latencyTable(run: FamilyRun, figure: "p50Ms" | "storeP50Ms", ratio: "ratio" | "storeRatio"): string {
  const counts = run.sizes.map(({ count }) => count.toLocaleString("en"))
  return table(
    ["", ...counts, "largest ÷ smallest", "must"],
    judge(run).map((verdict) => [
      verdict.name,
      ...run.sizes.map((size) => cell(size, latency(verdict.name, figure))),
      writeSpread(verdict[ratio]),
      verdict[ratio].median < MUST ? `< ${MUST}: reached` : `< ${MUST}: missed`,
    ]),
  )
}

function memoryTable({ sizes }: FamilyRun, { touches }: SubOrgsPlan): string {
  const steps = [0, ...touches]
  const body = sizes.map(({ count, memory }) => [
    count.toLocaleString("en"),
    ...steps.map((step) => {
      const found = memory.find(({ touched }) => touched === step)?.residentMiB
      return found === undefined ? "–" : writeNumber(found)
    }),
  ])
  return table(["sub-organizations", ...steps.map((step) => step.toLocaleString("en"))], body)
}

function namesOf({ rounds }: SizeRun): string[] {
  return Object.keys(rounds[0]?.latencies ?? {})
}

function latency(name: string, figure: keyof Latency) {
  return ({ latencies }: SizeRound) => latencies[name]?.[figure] ?? Number.NaN
}

function cell({ rounds }: SizeRun, figure: (round: SizeRound) => number): string {
  const found = spreadOf(rounds.map(figure))
  return found ? writeSpread(found) : "–"
}

function spread(values: number[]): Spread {
  return spreadOf(values) ?? { median: Number.NaN, min: Number.NaN, max: Number.NaN }
}

function table(head: string[], body: string[][]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
