import { machineText } from "../machine.ts"
import { MOST_DRIFT } from "../run.ts"
import { type Spread, spreadOf, writeNumber, writeSpread } from "../spread.ts"
import type { WebhooksPlan, WebhooksRun } from "./run.ts"

export const TITLE = "Results of `npm run bench -- webhooks`"

/** An hour's notifications are delivered in a tenth of the time. */
const MOST_MINUTES = 6

/** Signatures while notifications are queued, or delivered by a worker on the same cores, ÷ signatures alone. */
const LEAST_RATIO = 0.5

export type WebhooksVerdict = { name: string; value: number; bound: string; reached: boolean }

type Judged = Pick<WebhooksRun, "signing" | "drain" | "lost">

export function judge({ signing, drain, lost }: Judged): WebhooksVerdict[] {
  const { median: alone } = spread(signing.alone)
  const ratio = (rates: readonly number[]) => spread(rates).median / alone
  return [
    atMost("notifications that were lost", lost, 0),
    atMost("the backlog is delivered, minutes", drain.seconds / 60, MOST_MINUTES),
    atLeast("signatures while the receiver is down ÷ without an endpoint", ratio(signing.down), LEAST_RATIO),
    atLeast("signatures during the delivery ÷ without an endpoint", ratio(signing.draining), LEAST_RATIO),
  ]
}

/** Undefined: the run may be kept. */
export function whyDiscarded({ drift }: Pick<WebhooksRun, "drift">): string | undefined {
  if (drift <= MOST_DRIFT) return undefined
  return `the bare signature moved by ${percent(drift)} between start and end, more than ${percent(MOST_DRIFT)}`
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: WebhooksPlan, run: WebhooksRun): string {
  const { machine, signing, backlog, drain, sent, lost, doubled, drift } = run
  return [
    `# ${TITLE}`,
    "",
    `${date}: signatures in ${plan.rounds} windows of ${writeNumber(plan.seconds)} s on ${plan.connections} connections. ` +
      "Median [min–max].",
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
      ["signatures a second", ""],
      [
        ["without an endpoint", writeSpread(spread(signing.alone))],
        ["while the receiver is down", writeSpread(spread(signing.down))],
        ["while the backlog is delivered", writeSpread(spread(signing.draining))],
      ],
    ),
    "",
    `${backlog.toLocaleString("en")} notifications waited; ${drain.deliveries.toLocaleString("en")} were delivered in ` +
      `${writeNumber(drain.seconds)} s (${writeNumber(drain.deliveries / drain.seconds)} a second), those of the signatures meanwhile ` +
      `included. Sent ${sent.toLocaleString("en")}, lost ${lost}, doubled ${doubled}.`,
    "",
  ].join("\n")
}

function atMost(name: string, value: number, most: number): WebhooksVerdict {
  return { name, value, bound: `≤ ${most}`, reached: value <= most }
}

function atLeast(name: string, value: number, least: number): WebhooksVerdict {
  return { name, value, bound: `≥ ${least}`, reached: value >= least }
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
