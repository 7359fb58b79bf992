import { Fifo } from "./fifo.ts"

/** A turn ends after this many monotonic milliseconds, however few tasks it ran. */
const TURN_MS = 4

/** Computation that each owner may use in one round over all owners who wait: about ten signatures. */
const QUANTUM_MS = 1

/** Least cost of a task: what it computes after it waited for something else is not measured. */
const MIN_COST_MS = 0.1

/** Most computation that an owner owes. A task that costs more is forgiven the rest, so that rounds stay short. */
const MAX_DEBT_MS = 100

export type TurnBounds = {
  /** Tasks of one turn of the event loop. */
  perTurn: number
  /** Tasks that may wait, of all owners. */
  max?: number
  /** Tasks of one owner that may wait. */
  maxOfOwner?: number
  /** Monotonic milliseconds. */
  nowMs?: () => number
}

type Task = () => void

/**
 * The waiting tasks of one owner. `creditMs`: computation that the owner may still use in this round. `isCostly`: its latest task
 * was.
 */
type Lane = { readonly owner: string; readonly tasks: Fifo<Task>; creditMs: number; isCostly: boolean }

/** A task that has returned, and what it computed until then. */
type Ran = { readonly lane: Lane; readonly costMs: number }

/**
 * Runs queued tasks a few at a time and lets the event loop run in between. Otherwise one round of the loop reads a burst
 * whole, works on all of it and only then answers. The process on the other side would idle meanwhile, and both tiers would run
 * in lock-step. A lone task waits for one setImmediate.
 *
 * Cheap tasks of a turn run together, so that their answers share a message. A task that uses a whole round is costly: its turn
 * ends with it, and the next task of its owner has a turn of its own. Answers of the cheap tasks do not wait for it.
 *
 * Owners are served by deficit round robin (Shreedhar and Varghese, SIGCOMM 1995). A task's cost is known only after it ran, so
 * an owner may overdraw. It then waits until the rounds of the others have paid for it. An owner keeps this debt while others
 * wait, also with no task of their own: a flood of single costly tasks gains nothing by pausing.
 */
export class TurnQueue {
  readonly #lanes = new Map<string, Lane>()
  /** Lanes with tasks or debts, in the order of the round. */
  readonly #round = new Fifo<Lane>()
  readonly #bounds: Required<TurnBounds>
  #waiting = 0
  #scheduled = false
  /** Tasks of this turn whose promises are not charged yet. */
  #ran: Ran[] = []
  /** When the last of them returned. */
  #returnedMs = 0

  constructor(bounds: TurnBounds) {
    const unbounded = Number.POSITIVE_INFINITY
    this.#bounds = { max: unbounded, maxOfOwner: unbounded, nowMs: () => performance.now(), ...bounds }
  }

  /** Returns false, and does not take the task, when the queue or the owner's part of it is full. */
  push(owner: string, task: Task): boolean {
    const { max, maxOfOwner } = this.#bounds
    if (this.#waiting >= max || this.waitingOf(owner) >= maxOfOwner) return false
    this.#add(owner, task)
    return true
  }

  /** Runs a task in a turn of its owner, without regard to bounds: the rest of work that was taken before. */
  run<T>(owner: string, task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(owner, () => {
        try {
          resolve(task())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Resolves in a turn of the owner. */
  turn(owner = ""): Promise<void> {
    return this.run(owner, () => undefined)
  }

  /** Number of tasks that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Number of tasks of one owner that wait. */
  waitingOf(owner: string): number {
    return this.#lanes.get(owner)?.tasks.length ?? 0
  }

  #add(owner: string, task: Task): void {
    let lane = this.#lanes.get(owner)
    if (lane === undefined) {
      lane = { owner, tasks: new Fifo(), creditMs: QUANTUM_MS, isCostly: false }
      this.#lanes.set(owner, lane)
      this.#round.push(lane)
    }
    lane.tasks.push(task)
    this.#waiting += 1
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#runTurn)
    setImmediate(this.#settle)
  }

  readonly #runTurn = (): void => {
    this.#scheduled = false
    const { perTurn, nowMs } = this.#bounds
    this.#returnedMs = nowMs()
    const endMs = this.#returnedMs + TURN_MS
    while (this.#waiting > 0 && this.#ran.length < perTurn && this.#returnedMs < endMs) {
      const lane = this.#nextLane()
      if (lane.isCostly && this.#ran.length > 0) break
      this.#runNext(lane)
      if (lane.isCostly) break
    }
    // Before the promises of these tasks run: what they gather by setImmediate joins that of the next turn.
    if (this.#waiting > 0) this.#schedule()
  }

  #runNext(lane: Lane): void {
    const startMs = this.#returnedMs
    this.#waiting -= 1
    lane.tasks.shift()?.()
    this.#returnedMs = this.#bounds.nowMs()
    const costMs = this.#returnedMs - startMs
    lane.creditMs -= Math.max(costMs, MIN_COST_MS)
    lane.isCostly ||= costMs >= QUANTUM_MS
    this.#ran.push({ lane, costMs })
  }

  /** The immediate after a turn, once the promises of its tasks have run: each pays an equal part of them. */
  readonly #settle = (): void => {
    const partMs = (this.#bounds.nowMs() - this.#returnedMs) / this.#ran.length
    for (const { lane, costMs } of this.#ran) {
      lane.creditMs -= partMs
      lane.isCostly = costMs + partMs >= QUANTUM_MS
    }
    this.#ran = []
    if (this.#waiting === 0) this.#forgive()
  }

  /** The lane whose part of the round it is. To be called while tasks wait. */
  #nextLane(): Lane {
    for (;;) {
      const lane = this.#round.peek()
      if (lane === undefined) throw new Error("tasks wait in a lane of the round")
      if (lane.tasks.length > 0 && lane.creditMs > 0) return lane
      this.#round.shift()
      // Credit that was not used is lost; a lane without tasks leaves once it owes nothing.
      lane.creditMs = Math.min(Math.max(lane.creditMs, -MAX_DEBT_MS) + QUANTUM_MS, QUANTUM_MS)
      if (lane.tasks.length > 0 || lane.creditMs < QUANTUM_MS) this.#round.push(lane)
      else this.#lanes.delete(lane.owner)
    }
  }

  /** Drops all debts and credits: no owner waits. */
  #forgive(): void {
    while (this.#round.shift() !== undefined) {
      // Only emptied.
    }
    this.#lanes.clear()
  }
}
