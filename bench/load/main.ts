// The load generator: a closed loop over keep-alive connections, in a process of its own. Requests are stamped before the
// window begins, as many as the last window of its series needed. Missing ones are stamped within it.
import { answerQuestions } from "../child.ts"
import { quantile } from "../spread.ts"
import { Connection, type Reply } from "./connection.ts"
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
  const { target, series, connections, seconds, warmUpSeconds } = question
  const first = sentBefore.get(series) ?? 0
  const maker = new RequestMaker(target, first)
  const requests = Array.from({ length: stampedAhead.get(series) ?? 0 }, () => maker.make())
  const begun = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<LoadAnswer>()
  const latencies: number[] = []
  let sent = 0
  let isMeasuring = false
  let endAtReply: (() => void) | undefined

  const lanes = Array.from({ length: connections }, () => {
    let sentAt = 0
    const send = () => {
      const request = requests[sent] ?? maker.make()
      sent++
      sentAt = performance.now()
      connection.send(request)
    }
    const onReply = (reply: Reply) => {
      if (!isSigned(reply)) return fail(new Error(`no signature: ${reply.bytes.toString()}`))
      if (isMeasuring) latencies.push(performance.now() - sentAt)
      if (endAtReply) endAtReply()
      else send()
    }
    const connection = new Connection(target, onReply, fail)
    return { connection, send }
  })
  for (const { send } of lanes) send()
  const timer = setTimeout(measure, warmUpSeconds * 1000)

  function measure(): void {
    const startedAt = performance.now()
    const startCpu = process.cpuUsage()
    isMeasuring = true
    begun.resolve()
    const end = () => {
      close()
      const elapsedMs = performance.now() - startedAt
      const { user, system } = process.cpuUsage(startCpu)
      const sorted = Float64Array.from(latencies).toSorted()
      stampedAhead.set(series, Math.ceil(sent * RESERVE))
      sentBefore.set(series, first + sent)
      finished.resolve({
        perSecond: (sorted.length * 1000) / elapsedMs,
        requests: sorted.length,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
        loadCpuUs: (user + system) / sorted.length,
      })
    }
    // A busy machine may not give one reply in a short window, which then lasts until the first one.
    setTimeout(() => {
      if (latencies.length > 0) end()
      else endAtReply = end
    }, seconds * 1000)
  }

  function fail(fault: Error): void {
    clearTimeout(timer)
    close()
    finished.reject(fault)
  }

  function close(): void {
    isMeasuring = false
    for (const { connection } of lanes) connection.close()
  }

  return { begun: begun.promise, finished: finished.promise }
}

const COMPLETED = Buffer.from("ACTIVITY_STATUS_COMPLETED")

function isSigned({ status, bytes }: Reply): boolean {
  return status === 200 && bytes.includes(COMPLETED)
}
