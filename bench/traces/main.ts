// Measures the cost of traces that are off. One form makes the calls of a signed request into services/common/tracing, the other form does
// the same work without them. Both take turns in one process.
import { inSpan } from "../../services/common/tracing/tracer.ts"
import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"

/** Spans of a signed request: it looks for a replay, asks the signer, and stores a row. */
const SPANS = 3
/** CPU of the API for one signed request with 64 at a time, µs: the least of RESULTS.md, so that the share is the greatest. */
const REQUEST_US = 192
const MAX_SHARE = 0.02

const TITLE = "Traces that are off"

type Plan = { rounds: number; requests: number }

const FULL: Plan = { rounds: 401, requests: 10_000 }
export const SHORT: Plan = { rounds: 3, requests: 1_000 }

/** npm run bench -- traces: nanoseconds that a request pays for traces that are off. */
export async function benchTraces({ short }: Pick<Options, "short">): Promise<void> {
  const plan = short ? SHORT : FULL
  const date = new Date().toISOString()
  const run = await measureTraces(plan)
  const share = run.extraNs / (REQUEST_US * 1000)
  const isKept = share <= MAX_SHARE
  await keepRun("traces", {
    title: TITLE,
    text: `# ${TITLE}

Measured on ${date.slice(0, 10)}: ${plan.rounds} rounds of ${plan.requests} requests each way. The calls of a signed request into traces
that are off take ${run.extraNs.toFixed(0)} ns more than the same work without them [${run.quartiles.map((ns) => ns.toFixed(0)).join("–")}]. Of the API's
${REQUEST_US} µs for a signed request that is ${(share * 100).toFixed(2)} % (goal: ≤ ${MAX_SHARE * 100} %, ${isKept ? "met" : "missed"}).
`,
    figures: { date, plan, run, verdicts: { isKept } },
    discarded: undefined,
    isWhole: !short,
  })
}

/** Medians of the rounds: nanoseconds of one request. `quartiles`: lower and upper quartile of what is added. */
export async function measureTraces({ rounds, requests }: Plan) {
  const added: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Whichever is first finds a colder process: they take turns.
    const isFirst = round % 2 === 0
    const early = await timeOf(isFirst ? withSpans : withoutSpans, requests)
    const late = await timeOf(isFirst ? withoutSpans : withSpans, requests)
    added.push(isFirst ? early - late : late - early)
  }
  const sorted = added.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return { extraNs: at(0.5), quartiles: [at(0.25), at(0.75)] as const }
}

async function timeOf(request: () => Promise<void>, requests: number): Promise<number> {
  // Time of the CPU: other programs of the machine do not count.
  const start = process.cpuUsage()
  for (let count = 0; count < requests; count++) await request()
  const { user, system } = process.cpuUsage(start)
  return ((user + system) * 1000) / requests
}

const step = async (): Promise<void> => undefined

async function withSpans(): Promise<void> {
  for (let span = 0; span < SPANS; span++) await inSpan("a step", step, "client")
}

async function withoutSpans(): Promise<void> {
  for (let span = 0; span < SPANS; span++) await step()
}
