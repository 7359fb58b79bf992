import { machineTextWithSync } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "../spread.ts"
import type { StoreSize } from "./live-codes.ts"
import type { LoginRound, LoginRun, LoginPlan } from "./run.ts"

export const TITLE = "Results of `npm run bench -- login`"

/** Bytes left of a code after its purge. */
const MOST_BYTES = 200

const WAYS = { otp: "one-time code by e-mail", oidc: "OIDC token" } as const

export type LoginVerdict = { name: string; value: number; bound: string; reached: boolean }

export function judge({ codes }: Pick<LoginRun, "codes">): LoginVerdict[] {
  const left = (part: keyof StoreSize) => (codes.purged[part] - codes.empty[part]) / codes.codes
  return [
    atMost("bytes left of a code in the store's file, an hour later", left("fileBytes"), MOST_BYTES),
    atMost("bytes left of a code in the process, an hour later", left("heapBytes"), MOST_BYTES),
  ]
}

/** Undefined: the run may be kept. */
export function whyDiscarded({ drift }: Pick<LoginRun, "drift">): string | undefined {
  if (drift <= MOST_DRIFT) return undefined
  return `the bare signature moved by ${percent(drift)} between start and end, more than ${percent(MOST_DRIFT)}`
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: LoginPlan, run: LoginRun): string {
  const { machine, drift } = run
  return [
    `# ${TITLE}`,
    "",
    `${date}: whole logins of ${plan.customers} customers through the auth proxy, in ${plan.rounds} rounds of ` +
      `${writeNumber(plan.seconds)} s on ${plan.connections} connections. Median [min–max].`,
    "",
    `${machineTextWithSync(machine)}. Bare signatures moved by ${percent(drift)}.`,
    "",
    table(
      ["", "measured", "bound", ""],
      judge(run).map(({ name, value, bound, reached }) => [
        name,
        writeNumber(value),
        bound,
        reached ? "reached" : "missed",
      ]),
    ),
    "",
    writeLogins(run.rounds),
    "",
    writeCodes(run),
    "",
  ].join("\n")
}

/** A code takes three requests of the end user, a token one. */
function writeLogins(rounds: readonly LoginRound[]): string {
  const figures: [name: string, read: (window: LoginRound["otp"]) => number][] = [
    ["logins a second", ({ perSecond }) => perSecond],
    ["p50, ms", ({ p50Ms }) => p50Ms],
    ["p99, ms", ({ p99Ms }) => p99Ms],
    ["CPU ms, auth proxy", ({ cpuMs }) => cpuMs.proxy ?? Number.NaN],
    ["CPU ms, API", ({ cpuMs }) => cpuMs.api ?? Number.NaN],
    ["CPU ms, signer", ({ cpuMs }) => cpuMs.signer ?? Number.NaN],
    ["CPU ms, fetcher", ({ cpuMs }) => cpuMs.fetcher ?? Number.NaN],
  ]
  const ways = ["otp", "oidc"] as const
  const cell = (way: keyof typeof WAYS, read: (window: LoginRound["otp"]) => number) => {
    const spread: Spread | undefined = spreadOf(rounds.map((round) => read(round[way])))
    return spread === undefined ? "–" : writeSpread(spread)
  }
  return table(
    ["each login", ...ways.map((way) => WAYS[way])],
    figures.map(([name, read]) => [name, ...ways.map((way) => cell(way, read))]),
  )
}

function writeCodes({ codes }: Pick<LoginRun, "codes">): string {
  const moments: [name: string, size: StoreSize][] = [
    ["before", codes.empty],
    ["all live", codes.live],
    ["an hour later", codes.purged],
    ["a day later", codes.dayLater],
  ]
  return [
    `${codes.codes.toLocaleString("en")} codes for as many contacts, started in ${writeNumber(codes.secondsToStart)} s, ` +
      "each with a sync of the disk:",
    "",
    table(
      ["", "file, MiB", "heap, MiB"],
      moments.map(([name, size]) => [name, writeMebibytes(size.fileBytes), writeMebibytes(size.heapBytes)]),
    ),
  ].join("\n")
}

function writeMebibytes(bytes: number): string {
  return writeNumber(bytes / 2 ** 20)
}

function atMost(name: string, value: number, most: number): LoginVerdict {
  return { name, value, bound: `≤ ${most}`, reached: value <= most }
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
