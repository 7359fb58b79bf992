// npm run bench: measures the service against floors and bare libraries of the same run. See README.md beside it.
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { benchCodecs } from "./codecs/main.ts"
import { benchFairness } from "./fairness/main.ts"
import { benchDashboard } from "./dashboard/main.ts"
import { benchGrowth } from "./growth/main.ts"
import { goals } from "./goals.ts"
import { Interrupted } from "./interruption.ts"
import { benchKeys } from "./keys/main.ts"
import { type BenchFamily, type Options, readOptions, USAGE } from "./options.ts"
import { benchLogin } from "./login/main.ts"
import { benchPeers } from "./peers/main.ts"
import { benchPolicies } from "./policies/main.ts"
import { benchBackups } from "./backups/main.ts"
import { benchRestarts } from "./restarts/main.ts"
import { hottestOf } from "./profile.ts"
import { cpuSharesOf, writeCpuShares } from "./cpu-shares.ts"
import { type BenchReport, TITLE, whyDiscarded, writeReport } from "./report.ts"
import { keepSection, OUT } from "./results.ts"
import { measureAll } from "./run.ts"
import { type SeriesName, seriesNames } from "./series.ts"
import { benchSubOrganizations } from "./suborgs/main.ts"
import { benchTraces } from "./traces/main.ts"
import { benchTrees } from "./trees/main.ts"
import { benchTransactions } from "./transactions/main.ts"
import { judge, summarize } from "./verdict.ts"
import { benchWebhooks } from "./webhooks/main.ts"

const options = readOptions(process.argv.slice(2))
const families: Readonly<Record<BenchFamily, () => Promise<void>>> = {
  requests: benchSignatures,
  suborgs: () => benchSubOrganizations(options),
  keys: () => benchKeys(options),
  policies: () => benchPolicies(options),
  fairness: () => benchFairness(options),
  transactions: () => benchTransactions(options),
  login: () => benchLogin(options),
  webhooks: () => benchWebhooks(options),
  dashboard: () => benchDashboard(options),
  growth: () => benchGrowth(options),
  restarts: () => benchRestarts(options),
  traces: () => benchTraces(options),
  backups: () => benchBackups(options),
  trees: () => benchTrees(options),
  codecs: () => benchCodecs(options),
  peers: () => benchPeers(options),
}
await families[options.family]().catch(endQuietly)

async function benchSignatures(): Promise<void> {
  const date = new Date().toISOString()
  const stamp = date.replaceAll(":", "-").slice(0, 19)
  const profileTo = options.profile ? join(OUT, `profile-${stamp}`) : undefined
  await mkdir(OUT, { recursive: true })

  const run = await measureAll(chooseSeries(options), { ...options, profileTo }, (line) =>
    console.error(line),
  )
  const report: BenchReport = {
    date: date.slice(0, 10),
    options,
    run,
    verdicts: judge(run.rounds, run.notRun),
    series: summarize(run.rounds),
  }
  const text = writeReport(report)
  console.log(text)
  await writeFile(join(OUT, `${stamp}.json`), `${JSON.stringify(report, undefined, 2)}\n`)
  if (profileTo) {
    console.log(await hottestOf(profileTo))
    for (const shares of await cpuSharesOf(profileTo)) console.log(writeCpuShares(shares))
  }
  const discarded = whyDiscarded(run)
  const isWhole = !options.short && !options.profile && options.only.length === 0
  if (discarded !== undefined) console.log(`Discarded: ${discarded}. Nothing was written to RESULTS.md.`)
  else if (isWhole) await keepSection(TITLE, text)
}

function endQuietly(error: unknown): never {
  if (!(error instanceof Interrupted)) throw error
  console.error(error.message)
  process.exit(130)
}

function chooseSeries({ only }: Options): SeriesName[] {
  if (only.length === 0) return [...seriesNames]
  const wanted = new Set<SeriesName>()
  for (const word of only) {
    const series = seriesNames.filter((name) => name === word)
    const needed = goals.filter(({ id }) => id.split(" ")[0] === word).flatMap(({ needs }) => needs)
    if (series.length + needed.length === 0) throw new Error(`nothing is called ${word}: ${USAGE}`)
    for (const name of [...series, ...needed]) wanted.add(name)
  }
  return seriesNames.filter((name) => wanted.has(name))
}
