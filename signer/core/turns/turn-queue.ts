import { Fifo } from "./fifo.ts"

/** A turn ends after this many monotonic milliseconds, however few tasks it ran: one task may cost a hundred others. */
const TURN_MS = 1

/** Computation that each owner may use in one round over all owners who wait: about ten signatures. */
const QUANTUM_MS = 1

/** Least cost of a task: what it computes after it waited for something else is not measured. */
const MIN_COST_MS = 0.1

/** A task that costs more is not run together with others: several signatures. */
const COSTLY_MS = 0.5

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
 * The waiting tasks of one owner. `creditMs`: computation that the owner may still use in this round. `isCostly`: the latest task
 * was.
 */
type Lane = { readonly owner: string; readonly tasks: Fifo<Task>; creditMs: number; isCostly: boolean }

/**
 * Runs queued tasks a few at a time and lets the event loop run in between. Otherwise one round of the loop reads a burst
 * whole, works on all of it and only then answers. The process on the other side would idle meanwhile, and both tiers would run
 * in lock-step. A lone task waits for one setImmediate.
 *
 * Cheap tasks of a turn run together, so that their answers share a message. An owner whose latest task was costly runs in an
 * immediate of its own: the promises of the tasks before it are done by then, and what they have computed does not wait for it.
 * All immediates of a turn are set before it begins, because one that is set meanwhile would run after the event loop has read its
 * sockets.
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
  /** Tasks that this turn may still run. */
  #places: number
  /** When the turn that runs ends; undefined: it has run no task yet. */
  #endMs: number | undefined
  /** The task that ran last in this turn, and when it began. */
  #ran: { lane: Lane; startMs: number } | undefined

  constructor(bounds: TurnBounds) {
    const unbounded = Number.POSITIVE_INFINITY
    this.#places = bounds.perTurn
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
    for (let place = 0; place < this.#bounds.perTurn; place++) setImmediate(this.#runNext)
    setImmediate(this.#endTurn)
  }

  readonly #runNext = (): void => {
    let startMs = this.#bounds.nowMs()
    this.#charge(startMs)
    this.#endMs ??= startMs + TURN_MS
    for (let ran = 0; this.#places > 0 && this.#waiting > 0 && startMs < this.#endMs; ran++) {
      this.#charge(startMs)
      const lane = this.#nextLane()
      if (lane.isCostly && ran > 0) return
      this.#places -= 1
      this.#waiting -= 1
      const task = { lane, startMs }
      this.#ran = task
      lane.tasks.shift()?.()
      startMs = this.#bounds.nowMs()
      // Its promises, and the answers that they make, go before the next task.
      if (lane.isCostly || startMs - task.startMs > COSTLY_MS) return
    }
  }

  readonly #endTurn = (): void => {
    this.#charge(this.#bounds.nowMs())
    this.#scheduled = false
    this.#endMs = undefined
    this.#places = this.#bounds.perTurn
    if (this.#waiting > 0) this.#schedule()
    else this.#forgive()
  }

  /** Charges the task that ran last: until the next one began, or the next immediate after its promises. */
  #charge(nowMs: number): void {
    if (this.#ran === undefined) return
    const { lane, startMs } = this.#ran
    this.#ran = undefined
    lane.creditMs -= Math.max(nowMs - startMs, MIN_COST_MS)
    lane.isCostly = nowMs - startMs > COSTLY_MS
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
