import { machineText } from "../machine.ts"
import { spreadOf, writeNumber } from "../spread.ts"
import { DECIDING_POLICIES, WALLET_POLICIES } from "./decision.ts"
import { PAYLOAD_MB } from "./neighbour.ts"
import type { Timing } from "../timing.ts"
import { type PoliciesPlan, type PoliciesRun, POLICIES } from "./run.ts"

export const TITLE = "Results of `npm run bench -- policies`"

/** A typical policy, evaluated: median. */
const MOST_US = 20

/** A hundred policies on one request: median. */
const MOST_MS = 2

/**
 * A decision with 20 policies, in bare libraries' requests: a tenth of a signed request, which costs at least 2.8 of
 * them (G1).
 */
const MOST_FLOORS = 0.28

/** Largest latency that a costly order may add to another organization's signature: p99. */
const MOST_NEIGHBOUR_MS = 100

export type PoliciesVerdict = { name: string; value: number; most: number; reached: boolean }

type Judged = Pick<
  PoliciesRun,
  "expressions" | "requestsMs" | "decisionUs" | "walletDecisionUs" | "floorUs" | "neighbourMs"
>

export function judge({
  expressions,
  requestsMs,
  decisionUs,
  walletDecisionUs,
  floorUs,
  neighbourMs,
}: Judged): PoliciesVerdict[] {
  const typical = spreadOf(expressions.map(({ evaluateUs }) => evaluateUs.median))?.median ?? Number.NaN
  return [
    verdict("median of all expressions, µs", typical, MOST_US),
    ...Object.entries(requestsMs).map(([kind, { median }]) =>
      verdict(`${POLICIES} policies on one request, ${kind}, ms`, median, MOST_MS),
    ),
    verdict(
      `decision of a signature with ${DECIDING_POLICIES} policies ÷ (2 P-256 verify + 1 libsecp256k1 sign)`,
      decisionUs.median / floorUs.median,
      MOST_FLOORS,
    ),
    verdict(
      `the same with ${WALLET_POLICIES} policies, one for each wallet`,
      walletDecisionUs.median / floorUs.median,
      MOST_FLOORS,
    ),
    verdict(
      `${POLICIES} policies over a ${PAYLOAD_MB} MB payload: neighbour's added latency, largest p99, ms`,
      Math.max(...Object.values(neighbourMs).map(({ p99 }) => p99)),
      MOST_NEIGHBOUR_MS,
    ),
  ]
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: PoliciesPlan, run: PoliciesRun): string {
  const { machine, expressions, requestsMs, decisionUs, walletDecisionUs, floorUs, neighbourMs } = run
  const slowest = expressions.toSorted((a, b) => b.evaluateUs.median - a.evaluateUs.median).slice(0, 5)
  return [
    `# ${TITLE}`,
    "",
    `${date}: every expression of test/vectors/policies/expressions.json that is accepted, ` +
      `${plan.evaluations} times each; requests ${plan.requests} times. One core, in one process; compiled before, as ` +
      "policies are for each version of a document.",
    "",
    `${machineText(machine)}.`,
    "",
    table(
      ["", "measured", "at most", ""],
      judge(run).map(({ name, value, most, reached }) => [
        name,
        writeNumber(value),
        String(most),
        reached ? "reached" : "missed",
      ]),
    ),
    "",
    table(
      ["µs", "median of medians", "largest median", "median of p99", "largest p99"],
      [
        ["evaluated", ...figures(expressions.map(({ evaluateUs }) => evaluateUs))],
        ["compiled", ...figures(expressions.map(({ compileUs }) => compileUs))],
      ],
    ),
    "",
    timingTable("µs", {
      [`decision with ${DECIDING_POLICIES} policies`]: decisionUs,
      [`decision with ${WALLET_POLICIES} policies of wallets`]: walletDecisionUs,
      "2 P-256 verify + 1 libsecp256k1 sign": floorUs,
    }),
    "",
    timingTable(`ms, ${POLICIES} policies`, requestsMs),
    "",
    timingTable(`ms, ${POLICIES} policies over a ${PAYLOAD_MB} MB payload`, neighbourMs),
    "",
    table(
      ["slowest to evaluate, µs", "median", "p99"],
      slowest.map(({ id, evaluateUs }) => [id, writeNumber(evaluateUs.median), writeNumber(evaluateUs.p99)]),
    ),
    "",
  ].join("\n")
}

function verdict(name: string, value: number, most: number): PoliciesVerdict {
  return { name, value, most, reached: value <= most }
}

function timingTable(title: string, timings: Readonly<Record<string, Timing>>): string {
  return table(
    [title, "median", "p99"],
    Object.entries(timings).map(([name, { median, p99 }]) => [name, writeNumber(median), writeNumber(p99)]),
  )
}

function figures(timings: readonly Timing[]): string[] {
  const [medians, p99s] = [
    spreadOf(timings.map(({ median }) => median)),
    spreadOf(timings.map(({ p99 }) => p99)),
  ]
  return [medians?.median, medians?.max, p99s?.median, p99s?.max].map((value) =>
    writeNumber(value ?? Number.NaN),
  )
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}
