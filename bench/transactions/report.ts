import { machineText } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "../spread.ts"
import type { TransactionsPlan, TransactionsRun } from "./run.ts"

export const TITLE = "Results of `npm run bench -- transactions`"

/** Each transaction, read with its policy context: p99, and all that it allocates. */
const MOST_MS = 50
const MOST_MIB = 64

/** Signed transfers ÷ signatures of their digests. */
const LEAST_RATIO = 0.8

export type TransactionsVerdict = { name: string; value: number; bound: string; reached: boolean }

type Judged = Pick<TransactionsRun, "reads" | "signing" | "sends">

export function judge({ reads, signing, sends }: Judged): TransactionsVerdict[] {
  const ratio = spread(signing.map(({ transfer, digest }) => transfer / digest)).median
  const slowest = Math.max(...reads.map(({ ms }) => ms.p99))
  const largest = Math.max(...reads.map(({ allocatedMiB }) => allocatedMiB))
  return [
    atMost("reading one transaction, largest p99, ms", slowest, MOST_MS),
    atMost("reading one transaction, most allocated, MiB", largest, MOST_MIB),
    {
      name: "sign_transaction ÷ sign_raw_payload of the same digest",
      value: ratio,
      bound: `≥ ${LEAST_RATIO}`,
      reached: ratio >= LEAST_RATIO,
    },
    ...(sends === undefined
      ? []
      : [
          atMost("sends that were lost", sends.lost, 0),
          atMost("sends that were mined twice", sends.doubled, 0),
          atMost("nonces left out", sends.gaps, 0),
          atMost("sends with another status than INCLUDED", sends.notIncluded, 0),
        ]),
  ]
}

/** Undefined: the run may be kept. */
export function whyDiscarded({ drift }: Pick<TransactionsRun, "drift">): string | undefined {
  if (drift <= MOST_DRIFT) return undefined
  return `the bare signature moved by ${percent(drift)} between start and end, more than ${percent(MOST_DRIFT)}`
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: TransactionsPlan, run: TransactionsRun): string {
  const { machine, reads, signing, sends, drift } = run
  return [
    `# ${TITLE}`,
    "",
    `${date}: each transaction read ${plan.reads} times; signatures in ${plan.rounds} rounds of ` +
      `${writeNumber(plan.seconds)} s on ${plan.connections} connections. Median [min–max]; ratios are taken within a round.`,
    "",
    `${machineText(machine)}. Bare signatures moved by ${percent(drift)}.`,
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
    table(
      ["read with its policy context", "bytes", "median, ms", "p99, ms", "allocated, MiB"],
      reads.map(({ chain, name, bytes, ms, allocatedMiB }) => [
        `${chain}: ${name}`,
        bytes.toLocaleString("en"),
        writeNumber(ms.median),
        writeNumber(ms.p99),
        writeNumber(allocatedMiB),
      ]),
    ),
    "",
    table(
      ["through the whole service", "per second"],
      [
        ["sign_transaction of a transfer", writeSpread(spread(signing.map(({ transfer }) => transfer)))],
        ["sign_raw_payload of its digest", writeSpread(spread(signing.map(({ digest }) => digest)))],
      ],
    ),
    "",
    sends === undefined
      ? "Sends were not measured: anvil is not installed for this machine."
      : `${sends.sends.toLocaleString("en")} sends of ${sends.accounts} accounts on anvil, all queued at once: accepted in ` +
        `${writeNumber(sends.acceptedSeconds)} s (${writeNumber(sends.sends / sends.acceptedSeconds)} a second), mined in ` +
        `${writeNumber(sends.minedSeconds)} s (${writeNumber(sends.sends / sends.minedSeconds)} a second), with a block each second.`,
    "",
  ].join("\n")
}

function atMost(name: string, value: number, most: number): TransactionsVerdict {
  return { name, value, bound: `≤ ${most}`, reached: value <= most }
}

function spread(values: readonly number[]): Spread {
  return spreadOf(values) ?? { median: Number.NaN, min: Number.NaN, max: Number.NaN }
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
