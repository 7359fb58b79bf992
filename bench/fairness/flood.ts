// A process that sends more requests than its organization's share, until its parent asks it to finish.
import { answerQuestions } from "../child.ts"
import { Connection } from "../load/connection.ts"
import { Stamper } from "../load/request.ts"
import type { Target } from "../load/target.ts"
import { type Flood, type FloodKind, floods } from "./kinds.ts"

export type FloodQuestion =
  /** Stamps requests ahead, as many as the flood may need in this many seconds, then begins. */
  | { ask: "begin"; kind: FloodKind; target: Target; seconds: number }
  /** Answered with `FloodAnswer` when every request is answered. */
  | { ask: "finish" }

/**
 * Replies by HTTP status; "none" for requests whose connection ended without a reply. "notifications": those that its
 * receivers got.
 */
export type FloodAnswer = { [status: string]: number }

/** Window of the full plan, with its warm-up, for which floods say what to stamp ahead. A shorter one needs less. */
const FULL_WINDOW_SECONDS = 11

/** Offered requests are sent in batches, this often, or one at a time. */
const BATCH_MS = 10

let running: RunningFlood | undefined

answerQuestions((question: FloodQuestion) => {
  switch (question.ask) {
    case "begin":
      running = new RunningFlood(question)
      return "begun"
    case "finish":
      return running?.finish()
    default:
      return question satisfies never
  }
})

class RunningFlood {
  readonly #target: Target
  readonly #flood: Flood
  readonly #next: () => Buffer
  readonly #timer: NodeJS.Timeout | undefined
  readonly #replies: FloodAnswer = {}
  readonly #idle = new Set<Connection>()
  readonly #drained = Promise.withResolvers<void>()
  #underWay = 0
  #isOver = false

  constructor({ kind, target, seconds }: Extract<FloodQuestion, { ask: "begin" }>) {
    this.#target = target
    this.#flood = floods[kind]
    this.#next = requestsOf(this.#flood, target, seconds)
    const { pace } = this.#flood
    if ("connections" in pace) this.#send(pace.connections)
    else {
      const everyMs = Math.max(BATCH_MS, 1000 / pace.perSecond)
      this.#timer = setInterval(() => this.#send((pace.perSecond * everyMs) / 1000), everyMs)
    }
  }

  /** Sends nothing more, and waits for the replies: the next flood finds the service without work of this one. */
  async finish(): Promise<FloodAnswer> {
    this.#isOver = true
    clearInterval(this.#timer)
    if (this.#underWay === 0) this.#drained.resolve()
    await this.#drained.promise
    for (const connection of this.#idle) connection.close()
    return this.#replies
  }

  #send(count: number): void {
    for (let sent = 0; sent < count; sent++) {
      const [connection = this.#connect()] = this.#idle
      this.#idle.delete(connection)
      this.#underWay++
      connection.send(this.#next())
    }
  }

  #connect(): Connection {
    const connection: Connection = new Connection(
      this.#target,
      ({ status, isLast }) => {
        if (isLast) connection.close()
        else this.#idle.add(connection)
        this.#count(String(status))
      },
      () => {
        if (!this.#idle.delete(connection)) this.#count("none")
      },
    )
    return connection
  }

  #count(status: string): void {
    this.#replies[status] = (this.#replies[status] ?? 0) + 1
    this.#underWay--
    if (this.#isOver && this.#underWay === 0) this.#drained.resolve()
    if (!this.#isOver && "connections" in this.#flood.pace) this.#send(1)
  }
}

/** Stamped requests, one a call. */
function requestsOf(flood: Flood, target: Target, seconds: number): () => Buffer {
  const { pace, stampedAhead, isRepeatable } = flood
  const stamper = new Stamper(target)
  const wrong = stamper.wrongStamp()
  const share = isRepeatable ? 1 : seconds / FULL_WINDOW_SECONDS
  const needed = Math.ceil("perSecond" in pace ? pace.perSecond * seconds : stampedAhead * share)
  const stamp = (index: number) => {
    const { path, body } = flood.make(target, index)
    return stamper.request(`/public/v1/${path}`, body, stampOf(flood, index, wrong))
  }
  const ahead = Array.from({ length: Math.min(stampedAhead, needed) }, (_, index) => stamp(index))
  let sent = 0
  return () => {
    const index = sent++
    return ahead[isRepeatable ? index % ahead.length : index] ?? stamp(index)
  }
}

/** The API leaves stamps to the signer after four accepted ones; more are sent because some requests may be refused. */
const RIGHT_STAMPS = 16

/** The stamp of a request; undefined: the right one. */
function stampOf({ stamps }: Flood, index: number, wrong: string): string | undefined {
  if (stamps === undefined) return undefined
  if (stamps === "wrong") return index % 2 === 0 ? wrong : "no stamp"
  return index < RIGHT_STAMPS ? undefined : wrong
}
