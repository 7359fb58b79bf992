// The load generator: a closed loop over keep-alive connections, in a process of its own. Requests are stamped before the
// window begins, as many as the last window of its series needed. Missing ones are stamped within it.
import { answerQuestions } from "../child.ts"
import { quantile } from "../spread.ts"
import { Connection, type LoadReply } from "./connection.ts"
import { RequestMaker } from "./request.ts"
import type { LoadAnswer, LoadQuestion } from "./target.ts"

/** Over what the last window needed. */
const RESERVE = 1.25

type Begin = Extract<LoadQuestion, { ask: "begin" }>

const stampedAhead = new Map<string, number>()
const sentBefore = new Map<string, number>()
let underWay: Promise<LoadAnswer> | undefined

answerQuestions(async (question: LoadQuestion) => {
  switch (question.ask) {
    case "begin": {
      const { begun, finished } = start(question)
      underWay = finished
      underWay.catch(() => undefined)
      await Promise.race([begun, finished])
      return "begun"
    }
    case "finish":
      return underWay
    default:
      return question satisfies never
  }
})

function start(question: Begin): { begun: Promise<void>; finished: Promise<LoadAnswer> } {
  const { series, seconds, warmUpSeconds } = question
  const begun = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<LoadAnswer>()
  const first = sentBefore.get(series) ?? 0
  const lanes = new Lanes(question, first, (fault) => {
    clearTimeout(timer)
    lanes.close()
    finished.reject(fault)
  })
  lanes.send()
  const timer = setTimeout(() => {
    begun.resolve()
    const measured = measureCpu()
    lanes.beginMeasuring()
    const end = () => {
      lanes.close()
      const { elapsedMs, cpuUs } = measured()
      const sorted = Float64Array.from(lanes.latencies).toSorted()
      stampedAhead.set(series, Math.ceil(lanes.sent * RESERVE))
      sentBefore.set(series, first + lanes.sent)
      finished.resolve({
        perSecond: (sorted.length * 1000) / elapsedMs,
        requests: sorted.length,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
        loadCpuUs: cpuUs / sorted.length,
      })
    }
    // A busy machine may not give one reply in a short window, which then lasts until the first one.
    setTimeout(() => (lanes.latencies.length > 0 ? end() : lanes.endAtReply(end)), seconds * 1000)
  }, warmUpSeconds * 1000)
  return { begun: begun.promise, finished: finished.promise }
}

/** Time and CPU of this process from now until the returned function is called. */
function measureCpu(): () => { elapsedMs: number; cpuUs: number } {
  const startedAt = performance.now()
  const startCpu = process.cpuUsage()
  return () => {
    const elapsedMs = performance.now() - startedAt
    const { user, system } = process.cpuUsage(startCpu)
    return { elapsedMs, cpuUs: user + system }
  }
}

/** Connections that each send a request once the one before is answered. */
class Lanes {
  readonly latencies: number[] = []
  sent = 0
  readonly #maker: RequestMaker
  readonly #stamped: ReturnType<RequestMaker["make"]>[]
  readonly #lanes: { connection: Connection; send: () => void }[]
  #isMeasuring = false
  #endAtReply: (() => void) | undefined

  constructor({ target, series, connections }: Begin, first: number, fail: (fault: Error) => void) {
    this.#maker = new RequestMaker(target, first)
    this.#stamped = Array.from({ length: stampedAhead.get(series) ?? 0 }, () => this.#maker.make())
    this.#lanes = Array.from({ length: connections }, () => this.#open(target, fail))
  }

  send(): void {
    for (const { send } of this.#lanes) send()
  }

  beginMeasuring(): void {
    this.#isMeasuring = true
  }

  /** Calls `end` at the next reply, in place of sending. */
  endAtReply(end: () => void): void {
    this.#endAtReply = end
  }

  close(): void {
    this.#isMeasuring = false
    for (const { connection } of this.#lanes) connection.close()
  }

  #open(target: Begin["target"], fail: (fault: Error) => void) {
    let sentAt = 0
    const send = () => {
      const request = this.#stamped[this.sent] ?? this.#maker.make()
      this.sent++
      sentAt = performance.now()
      connection.send(request)
    }
    const onReply = (reply: LoadReply) => {
      if (!isSigned(reply)) return fail(new Error(`no signature: ${reply.bytes.toString()}`))
      if (this.#isMeasuring) this.latencies.push(performance.now() - sentAt)
      if (this.#endAtReply) this.#endAtReply()
      else send()
    }
    const connection = new Connection(target, onReply, fail)
    return { connection, send }
  }
}

const COMPLETED = Buffer.from("ACTIVITY_STATUS_COMPLETED")
const VAULT_SIGNATURE = Buffer.from("vault:v1:")

function isSigned({ status, bytes }: LoadReply): boolean {
  return status === 200 && (bytes.includes(COMPLETED) || bytes.includes(VAULT_SIGNATURE))
}
