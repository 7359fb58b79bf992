import { machineTextWithSync } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "../spread.ts"
import type { KeysRound, KeysRun, KeysPlan } from "./run.ts"
import { signatureKinds } from "./signatures.ts"

export const TITLE = "Results of `npm run bench -- keys`"

/** Signatures through vault, cache and signing key come at nearly the bare library's rate. */
const MUST = 0.9

export type KeysVerdict = { name: string; ratio: Spread; reached: boolean }

/** Each kind's ratio to the bare library: taken within a round, then the median. */
export function judge({ rounds }: Pick<KeysRun, "rounds">): KeysVerdict[] {
  return signatureKinds.map(({ name }) => {
    const ratio = spread(rounds, ({ signatures }) => {
      const { warm = Number.NaN, bare = Number.NaN } = signatures[name] ?? {}
      return warm / bare
    })
    return { name, ratio, reached: ratio.median >= MUST }
  })
}

/** Was there ever one key more than configured? */
export function isCacheBounded({ cache }: Pick<KeysRun, "cache">): boolean {
  return cache.steps.every(({ mostEntries }) => mostEntries <= cache.maxEntries)
}

/** Undefined: the run may be kept. */
export function whyDiscarded({ drift }: Pick<KeysRun, "drift">): string | undefined {
  if (drift <= MOST_DRIFT) return undefined
  return `the bare signature moved by ${percent(drift)} between start and end, more than ${percent(MOST_DRIFT)}`
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: KeysPlan, run: KeysRun): string {
  const { machine, rounds, cache, drift } = run
  return [
    `# ${TITLE}`,
    "",
    `${date}: ${plan.rounds} rounds of ${writeNumber(plan.seconds)} s for each signature, a quarter of it for addresses. What is compared has turns of ` +
      "10 ms within a round. Median [min–max] of the rounds; ratios are taken within a round.",
    "",
    `${machineTextWithSync(machine)}. Bare signatures moved by ${percent(drift)}.`,
    "",
    "## Signatures a second, one core",
    "",
    "Warm: through vault, cache and signing key. Cold: the key is not in the cache; both records are checked, the " +
      "wallet is unsealed and the key derived.",
    "",
    signatureTable(run),
    "",
    "## Addresses a second, one core",
    "",
    addressTable(rounds),
    "",
    `## Requests that make ${plan.requestSize.toLocaleString("en")}: ms each`,
    "",
    "In the signer: from the stamp to the sync of its ledger; it does little else meanwhile. Whole system: until the " +
      "reply, everything stored.",
    "",
    requestTable(rounds),
    "",
    `## ${plan.accounts.toLocaleString("en")} accounts in turn, through the whole system`,
    "",
    "Signatures a second on 64 connections, beside 64 accounts in turn, whose keys are in the cache.",
    "",
    coldTable(rounds),
    "",
    "## Cache of keys: each account signs once, on all curves in turn",
    "",
    `Configured: ${cache.maxEntries.toLocaleString("en")} keys at most: ` +
      `${isCacheBounded(run) ? "reached" : "missed"}. All took ${writeNumber(cache.seconds)} s.`,
    "",
    cacheTable(cache),
    "",
  ].join("\n")
}

function addressTable(rounds: readonly KeysRound[]): string {
  return table(
    ["", "from the seed", "from the public key"],
    Object.keys(rounds[0]?.addresses ?? {}).map((name) => [
      name,
      cell(rounds, ({ addresses }) => addresses[name]?.derived),
      cell(rounds, ({ addresses }) => addresses[name]?.written),
    ]),
  )
}

function requestTable(rounds: readonly KeysRound[]): string {
  return table(
    ["", "in the signer", "whole system"],
    Object.keys(rounds[0]?.requests ?? {}).map((name) => [
      name,
      cell(rounds, ({ requests }) => requests[name]),
      cell(rounds, ({ systemRequests }) => systemRequests[name]),
    ]),
  )
}

function cacheTable({ steps }: KeysRun["cache"]): string {
  return table(
    ["accounts", "keys in memory", "most ever", "resident MiB"],
    steps.map(({ accounts, entries, mostEntries, residentMiB }) => [
      accounts.toLocaleString("en"),
      entries.toLocaleString("en"),
      mostEntries.toLocaleString("en"),
      residentMiB === undefined ? "–" : writeNumber(residentMiB),
    ]),
  )
}

function signatureTable(run: KeysRun): string {
  const { rounds } = run
  const verdicts = new Map(judge(run).map((verdict) => [verdict.name, verdict]))
  return table(
    ["", "library", "bare", "warm", "warm ÷ bare", "must", "cold", "cold, µs"],
    signatureKinds.map(({ name, library }) => {
      const { ratio, reached } = verdicts.get(name)!
      return [
        name,
        library,
        cell(rounds, ({ signatures }) => signatures[name]?.bare),
        cell(rounds, ({ signatures }) => signatures[name]?.warm),
        writeSpread(ratio),
        `≥ ${MUST}: ${reached ? "reached" : "missed"}`,
        cell(rounds, ({ signatures }) => signatures[name]?.cold),
        cell(rounds, ({ signatures }) => 1e6 / (signatures[name]?.cold ?? Number.NaN)),
      ]
    }),
  )
}

/** Signatures with keys in no cache ÷ those with keys in the cache. */
const COLD_MUST = 0.4
const COLD_GOAL = 0.7

/** The ratio of each round, then the median. */
export function judgeCold(rounds: readonly Pick<KeysRound, "accounts">[]): KeysVerdict {
  const nothing = { median: Number.NaN, min: Number.NaN, max: Number.NaN }
  const ratio = spreadOf(rounds.map(({ accounts: { hot, cold } }) => cold / hot)) ?? nothing
  return { name: "cold ÷ hot", ratio, reached: ratio.median >= COLD_MUST }
}

function coldTable(rounds: readonly KeysRound[]): string {
  const { ratio, reached } = judgeCold(rounds)
  const verdict = `≥ ${COLD_MUST}, goal ≥ ${COLD_GOAL}: ${reached ? "reached" : "missed"}`
  const rates = [cell(rounds, ({ accounts }) => accounts.hot), cell(rounds, ({ accounts }) => accounts.cold)]
  return table(["hot", "cold", "cold ÷ hot", "must"], [[...rates, writeSpread(ratio), verdict]])
}

function cell(rounds: readonly KeysRound[], read: (round: KeysRound) => number | undefined): string {
  const found = spreadOf(rounds.map((round) => read(round) ?? Number.NaN))
  return found === undefined ? "–" : writeSpread(found)
}

function spread(rounds: readonly KeysRound[], read: (round: KeysRound) => number): Spread {
  const nothing = { median: Number.NaN, min: Number.NaN, max: Number.NaN }
  return spreadOf(rounds.map(read)) ?? nothing
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
