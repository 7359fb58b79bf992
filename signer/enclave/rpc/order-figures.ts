import { AnswerKind } from "../../../proto/gen/countersign/signer/v1/metrics_pb.ts"
import type { OrderAnswer } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Histogram, RefusalCounts, stopwatch } from "../../process/figures.ts"

/** Counts the orders of this process. A signer that stops waits by it for those that run. */
export class OrderFigures {
  readonly seconds = new Histogram()
  readonly refusals = new RefusalCounts()
  readonly #answers = { outcome: 0n, refused: 0n, needed: 0n }
  /** Stopwatches of the orders without answer, the oldest first. */
  readonly #unanswered = new Set<() => number>()
  #running = 0
  #waiters: (() => void)[] = []

  /** Orders that have begun and are not answered. */
  get running(): number {
    return this.#running
  }

  /** Age of the oldest order without answer, seconds. */
  get oldestSeconds(): number {
    const [oldest] = this.#unanswered
    return oldest?.() ?? 0
  }

  /** Counts an order that was taken. The function that it returns is to be called with its answer. */
  take(): (answer: OrderAnswer["answer"]) => void {
    const seconds = stopwatch()
    this.#unanswered.add(seconds)
    return (answer) => {
      this.#unanswered.delete(seconds)
      this.seconds.add(seconds())
      if (answer.case === "refused") this.refusals.add(answer.value.code)
      if (answer.case !== undefined) this.#answers[answer.case] += 1n
    }
  }

  /** Runs an order. */
  async run<T>(order: () => Promise<T>): Promise<T> {
    this.#running += 1
    try {
      return await order()
    } finally {
      this.#running -= 1
      if (this.#running === 0) for (const resolve of this.#waiters.splice(0)) resolve()
    }
  }

  /** Resolves when no order runs. */
  idle(): Promise<void> {
    return this.#running === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve))
  }

  answers() {
    const { outcome, refused, needed } = this.#answers
    return [
      { kind: AnswerKind.OUTCOME, count: outcome },
      { kind: AnswerKind.REFUSED, count: refused },
      { kind: AnswerKind.NEEDED, count: needed },
    ]
  }
}
