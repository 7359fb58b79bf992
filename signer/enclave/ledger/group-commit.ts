import { Refusal } from "../../core/refusal.ts"
import { advance, type Steps } from "../../core/turns/steps.ts"
import { turn } from "./event-loop.ts"
import { ledgerClosed, ledgerFull } from "./refusals.ts"
import type { CommittedShards } from "./shards.ts"
import type { Appended, Batch, LedgerStore } from "./store.ts"
import type { Witness } from "./witness.ts"
import { WriteTransaction } from "./write-transaction.ts"

export type GroupCommitParts = {
  store: Pick<LedgerStore, "append">
  /** The writer's, of each append. */
  fence: number
  shards: CommittedShards
  witness: Witness | undefined
  /** Ends the process: after a failed write or sync only the next start can find out what is on disk. */
  terminate: (error: unknown) => void
  /** Called after each transaction with the number of requests it made durable, and the time of its write and sync. */
  onBatch: (requests: number, syncSeconds: number) => void
  /** Called after the sync of each transaction, before anyone learns of it. */
  onCommit: () => void
}

/** A change of a transaction; one of many rows is made in steps. */
type Change = (transaction: WriteTransaction) => Steps<void> | void

type CommitRequest = {
  run: Change
  /** False: it joins the next transaction, which begins within MAX_WAIT_MS. */
  isUrgent: boolean
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Commits all requests of one turn of the event loop in one transaction with one sync. Requests that arrive during a
 * transaction form the next batch: batches grow with the load, and a lone request does not wait. Changes that are not
 * urgent join the next batch: alone they would cost a sync of their own.
 *
 * A transaction of many rows is prepared in slices, with turns of the event loop in between. Until the store has written it
 * reads see the state before it.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts
  #queue: CommitRequest[] = []
  /** The batch that is being committed. */
  #running: Promise<void> | undefined
  #isScheduled = false
  /** Set while no urgent change is queued. */
  #timer: NodeJS.Timeout | undefined
  #failure: Error | undefined
  #latestMs = 0
  #timeResets = 0
  #isFull = false
  #isEnding = false

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
  }

  /** Resolves after the sync; rejects with what `run` threw, or LEDGER_FULL. */
  submit(run: Change, isUrgent = true): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, isUrgent, resolve, reject })
      this.#scheduleQueue()
    })
  }

  /** True if the latest write failed because the disk is full. */
  get isFull(): boolean {
    return this.#isFull
  }

  advanceTime(nowMs: number): void {
    this.#latestMs = Math.max(this.#latestMs, nowMs)
    if (this.#latestMs >= this.#parts.shards.state.floorMs + FLOOR_STEP_MS) this.#schedule()
  }

  /** Forgets the time of `advanceTime`: the next transaction of `submit` sets the floor. */
  forgetTime(): void {
    this.#latestMs = 0
    this.#timeResets += 1
  }

  /** Number of calls of `forgetTime`. */
  get timeResets(): number {
    return this.#timeResets
  }

  /** Writes what is queued and refuses later requests. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#timer)
    await this.#running
    await this.#start()
    this.#failure ??= ledgerClosed()
  }

  /** Acknowledges nothing more, and ends the process. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = new Error("the ledger failed", { cause: error })
    this.#parts.terminate(error)
  }

  #scheduleQueue(): void {
    const isDue = this.#queue.length >= MAX_WAITING || this.#queue.some(({ isUrgent }) => isUrgent)
    if (isDue) this.#schedule()
    else if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#schedule(), MAX_WAIT_MS)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#start()
    })
  }

  /** Commits what is queued, unless a batch is being committed: then the rest follows it. */
  #start(): Promise<void> {
    this.#running ??= this.#commit(this.#takeQueue()).finally(() => {
      this.#running = undefined
      this.#scheduleQueue()
    })
    return this.#running
  }

  #takeQueue(): CommitRequest[] {
    const requests = this.#queue
    this.#queue = []
    return requests
  }

  /** Commits a batch. Never rejects, unless `terminate` throws. */
  async #commit(requests: CommitRequest[]): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure
      const durable = await this.#write(requests)
      if (durable === undefined) return
      this.#isFull = false
      for (const { resolve } of durable) resolve()
    } catch (error) {
      this.#isFull = error instanceof Refusal && error.code === "LEDGER_FULL"
      for (const { reject } of requests) reject(error)
      if (!this.#isFull) this.fail(error)
    }
  }

  /** Returns the requests that are durable now; undefined when there was nothing to write. */
  async #write(requests: CommitRequest[]): Promise<CommitRequest[] | undefined> {
    const { shards, onBatch } = this.#parts
    const floorMs = Math.max(shards.state.floorMs, this.#latestMs)
    const transaction = new WriteTransaction(shards, { ...shards.state, floorMs })
    const preparation = prepare(requests, transaction)
    let prepared = advance(preparation)
    for (; prepared.done !== true; prepared = advance(preparation)) await turn()
    const done = prepared.value
    if (done.length === 0 && floorMs === shards.state.floorMs) return undefined
    const startMs = performance.now()
    await this.#append(transaction)
    onBatch(done.length, (performance.now() - startMs) / 1000)
    return done
  }

  /**
   * Resolves when the transaction is durable and published. An append of unknown outcome is made again until its outcome is known:
   * meanwhile nobody is answered, and no other transaction follows. @throws LEDGER_FULL, Error when another writer has the ledger
   */
  async #append(transaction: WriteTransaction): Promise<void> {
    const { store, fence } = this.#parts
    const batch: Batch = {
      fence,
      lanes: transaction.storedLanes(),
      changes: { [Symbol.iterator]: () => transaction.changes() },
      rows: transaction.rows.size,
    }
    for (;;) {
      const outcome = await store.append(batch, () => this.#publish(transaction))
      if (outcome.is === "done") return
      if (outcome.is === "refused") throw refusalOf(outcome)
      if (this.#isEnding) throw new Error("it is unknown whether a transaction was written", outcome)
      await turn()
    }
  }

  #publish(transaction: WriteTransaction): void {
    const { shards, witness, onCommit } = this.#parts
    shards.publish(transaction.state, transaction.shards, transaction.values())
    witness?.write(transaction.changedLanes())
    onCommit()
  }
}

function refusalOf({ because, cause }: Extract<Appended, { is: "refused" }>): Error {
  switch (because) {
    case "full":
      return ledgerFull(cause)
    case "conflict":
    case "fenced":
      return new Error(`another writer has the ledger: ${because}`, { cause })
    default:
      return because satisfies never
  }
}

const FLOOR_STEP_MS = 60_000

/** Bounds for changes that nobody waits for: with so many of them, or after this time, a transaction begins without others. */
const MAX_WAITING = 256
const MAX_WAIT_MS = 200

/** Returns the requests that the transaction contains. */
function* prepare(requests: readonly CommitRequest[], transaction: WriteTransaction): Steps<CommitRequest[]> {
  const done: CommitRequest[] = []
  for (const request of requests) if (yield* attempt(request, transaction)) done.push(request)
  yield* transaction.finish()
  return done
}

/** A refused request fails alone; any other fault fails the whole transaction. */
function* attempt({ run, reject }: CommitRequest, transaction: WriteTransaction): Steps<boolean> {
  const nested = transaction.nest()
  try {
    yield* run(nested) ?? []
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof RangeError)) throw error
    reject(error)
    return false
  }
  transaction.merge(nested)
  return true
}
