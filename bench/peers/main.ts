// Measures the service beside Vault, an older commit of its own and node:http with one INSERT, in one run.
import { machineTextWithSync } from "../machine.ts"
import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeSpread } from "../spread.ts"
import { CONNECTIONS, cpuOf, FULL_PLAN, measurePeers, OTHERS, type PeersRun, ratioOf } from "./run.ts"
import { SHORT_PLAN } from "../trees/run.ts"

/** Share of the CPU beyond which other programs distort the figures. */
const MAX_OTHERS_SHARE = 0.05
const TITLE = "Beside other services"

/** npm run bench -- peers: BENCH_VAULT names the program of Vault, `--against` a commit. */
export async function benchPeers({
  short,
  against,
  only,
}: Pick<Options, "short" | "against" | "only">): Promise<void> {
  const plan = short ? SHORT_PLAN : FULL_PLAN
  const date = new Date().toISOString()
  const peers = { vault: process.env["BENCH_VAULT"], against: against === "HEAD" ? undefined : against, only }
  const unknown = only.find((name) => !OTHERS.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${OTHERS.join(", ")}`)
  const run = await measurePeers(peers, plan, (line) => console.error(line))
  await keepRun("peers", {
    title: TITLE,
    text: writeReport(date.slice(0, 10), plan, run),
    figures: { date, plan, run, verdicts: boundsOf(run) },
    discarded: whyDiscarded(run),
    isWhole: !short && only.length === 0 && run.commit !== undefined && "Vault at 1" in run.series,
  })
}

export function whyDiscarded({ drift, othersShare }: PeersRun): string | undefined {
  if (drift > MOST_DRIFT) return `bare signatures moved by ${(drift * 100).toFixed(1)} %`
  if (othersShare > MAX_OTHERS_SHARE)
    return `other programs took ${(othersShare * 100).toFixed(1)} % of the CPU`
  return undefined
}

type Bound = {
  name: string
  ratio: Spread | undefined
  better: "higher" | "lower"
  must: number
  goal: number
}

const RATES = { 1: [0.5, 0.8], 16: [0.9, 1.1], 64: [1.1, 1.3] } as const

/** The ratios that have bounds. */
export function boundsOf(run: PeersRun): Bound[] {
  const rate = (above: string, below: string) => ratioOf(run, above, below, ({ perSecond }) => perSecond)
  const besideVault = CONNECTIONS.map((at): Bound => {
    const [must, goal] = RATES[at]
    const ratio = rate(`service at ${at}`, `Vault at ${at}`)
    return { name: `requests a second ÷ Vault's, at ${at}`, ratio, better: "higher", must, goal }
  })
  return [
    ...besideVault,
    {
      name: "p50 ÷ Vault's, at 1",
      ratio: ratioOf(run, "service at 1", "Vault at 1", ({ p50Ms }) => p50Ms),
      better: "lower",
      must: 2,
      goal: 1.2,
    },
    { name: CRYPTOGRAPHY(64), ratio: cryptography(run, 64), better: "lower", must: 2.2, goal: 1.8 },
    { name: CRYPTOGRAPHY(1), ratio: cryptography(run, 1), better: "lower", must: 7.5, goal: 4 },
    {
      name: "16,000 accounts in turn ÷ 64, requests a second at 64",
      ratio: rate("16000 accounts at 64", "64 accounts at 64"),
      better: "higher",
      must: 0.4,
      goal: 0.7,
    },
    {
      name: "a user whom a policy allows it ÷ a root user, requests a second at 64",
      ratio: rate("policy user at 64", "service at 64"),
      better: "higher",
      must: 0.9,
      goal: 0.95,
    },
  ]
}

const CRYPTOGRAPHY = (at: number) =>
  `CPU of a request ÷ (2 P-256 verifications + 1 secp256k1 signature), at ${at}`

function cryptography({ series, cryptographyUs }: PeersRun, at: number): Spread | undefined {
  const all = series[`service at ${at}`] ?? []
  return spreadOf(all.map((one, round) => (cpuOf(one) ?? Number.NaN) / (cryptographyUs[round] ?? Number.NaN)))
}

export function writeReport(
  date: string,
  { rounds, seconds, warmUp }: typeof FULL_PLAN,
  run: PeersRun,
): string {
  const { machine, drift, othersShare, commit } = run
  return `# ${TITLE}

${date}: ${rounds} rounds of ${seconds} s for each figure after ${warmUp} requests, all in turn; ratios are taken within a round: median [min–max].
*Vault* is its development server, in memory, with its transit engine and a P-256 key. It has a bearer token in place of a stamp, an unsynced audit
line in place of a stored row, and no process of its own for keys. *Floor* is node:http with one INSERT. ${earlierText(commit)}

${machineTextWithSync(machine)}. Bare signatures moved by ${(drift * 100).toFixed(1)} %; other programs took ${(othersShare * 100).toFixed(1)} % of the CPU
in the median window. Two P-256 verifications and one secp256k1 signature take ${spreadText(spreadOf(run.cryptographyUs))} µs of CPU.

| ratio | measured | must | goal | |
|---|---|---|---|---|
${boundsOf(run).map(boundRow).join("\n")}

| | per second | p50 ms | p99 ms | CPU µs |
|---|---|---|---|---|
${Object.keys(run.series)
  .map((name) => seriesRow(name, run))
  .join("\n")}
${earlierRows(run)}`
}

function earlierText(commit: string | undefined): string {
  return commit === undefined ? "" : `*Earlier* is this service's tree of ${commit}.`
}

/** Ratios of this tree's figures to those of the earlier one. */
function earlierRows(run: PeersRun): string {
  if (run.commit === undefined) return ""
  const rows = CONNECTIONS.map((at) => {
    const [above, below] = [`service at ${at}`, `earlier at ${at}`]
    const rate = ratioOf(run, above, below, ({ perSecond }) => perSecond)
    const p50 = ratioOf(run, above, below, ({ p50Ms }) => p50Ms)
    return `| ${at} | ${spreadText(rate)} | ${spreadText(p50)} | ${spreadText(ratioOf(run, above, below, cpuOf))} |`
  })
  return `
| this tree ÷ the earlier one, at | rate | p50 | CPU of a request |
|---|---|---|---|
${rows.join("\n")}
`
}

function boundRow({ name, ratio, better, must, goal }: Bound): string {
  const sign = better === "higher" ? "≥" : "≤"
  return `| ${name} | ${spreadText(ratio)} | ${sign} ${must} | ${sign} ${goal} | ${verdictOf({ ratio, better, must, goal })} |`
}

/** The median decides. A range that reaches a bound is named, because machines are noisy. */
function verdictOf({ ratio, better, must, goal }: Omit<Bound, "name">): string {
  if (ratio === undefined) return "not run"
  const isInRange = (bound: number) => (better === "higher" ? ratio.max >= bound : ratio.min <= bound)
  const reaches = (bound: number) => (better === "higher" ? ratio.median >= bound : ratio.median <= bound)
  if (reaches(goal)) return "goal reached"
  if (reaches(must)) return "reached"
  return isInRange(must) ? "missed by the median, within the range" : "**missed**"
}

function seriesRow(name: string, { series }: PeersRun): string {
  const all = series[name] ?? []
  const of = (read: (measured: PeersRun["series"][string][number]) => number | undefined) =>
    spreadText(spreadOf(all.map((one) => read(one) ?? Number.NaN)))
  return `| ${name} | ${of((m) => m.perSecond)} | ${of((m) => m.p50Ms)} | ${of((m) => m.p99Ms)} | ${of(cpuOf)} |`
}

function spreadText(spread: Spread | undefined): string {
  return spread === undefined ? "–" : writeSpread(spread)
}
