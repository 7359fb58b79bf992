import type { DatabaseSync } from "node:sqlite"
import { Refusal, refuse } from "../../core/refusal.ts"
import { advance, runAtOnce, type Steps } from "../../core/turns/steps.ts"
import { isDiskFull, ledgerClosed } from "./fault.ts"
import { LogCheckpoint } from "./log-checkpoint.ts"
import type { CommittedShards } from "./shards.ts"
import type { Witness } from "./witness.ts"
import { WriteTransaction } from "./write-transaction.ts"

export type GroupCommitParts = {
  connection: DatabaseSync
  shards: CommittedShards
  witness: Witness
  /** Ends the process: after a failed write or sync only the next start can find out what is on disk. */
  terminate: (error: unknown) => void
  /** Called after each transaction with the number of requests it made durable, and the time of its write and sync. */
  onBatch: (requests: number, syncSeconds: number) => void
}

/** A change of a transaction; one of many rows is made in steps. */
type Change = (transaction: WriteTransaction) => Steps<void> | void

type CommitRequest = {
  run: Change
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Commits all requests of one turn of the event loop in one transaction with one sync. Requests that arrive during a
 * transaction form the next batch: batches grow with the load, and a lone request does not wait.
 *
 * A transaction of many rows is prepared and written in slices, with turns of the event loop in between. The file has one
 * connection, which would read what it has not committed: a reader of a shard that is being written ends the writing first.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts
  readonly #checkpoint: LogCheckpoint
  #queue: CommitRequest[] = []
  #open: Steps<void> | undefined
  /** Shards that are being written. */
  #written: ReadonlyMap<string, unknown> | undefined
  #isScheduled = false
  #failure: Error | undefined
  #latestMs = 0
  #isFull = false
  #syncSeconds = 0

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
    this.#checkpoint = new LogCheckpoint({ ...parts, onFault: (error) => this.#fail(error) })
    parts.shards.statements.beforeRead = (shard) => this.#endWriting(shard)
  }

  /** Resolves after the sync; rejects with what `run` threw, or LEDGER_FULL. */
  submit(run: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, resolve, reject })
      this.#schedule()
    })
  }

  /** True if the latest write failed because the disk is full. */
  get isFull(): boolean {
    return this.#isFull
  }

  advanceTime(nowMs: number): void {
    this.#latestMs = Math.max(this.#latestMs, nowMs)
    if (this.#latestMs >= this.#parts.shards.deployment.floorMs + FLOOR_STEP_MS) this.#schedule()
  }

  /** Forgets the time of `advanceTime`: the next transaction of `submit` sets the floor. */
  forgetTime(): void {
    this.#latestMs = 0
  }

  /** Writes what is queued now and refuses later requests. */
  end(): void {
    if (this.#open !== undefined) runAtOnce(this.#open)
    this.#open = undefined
    runAtOnce(this.#commit(this.#takeQueue()))
    this.#checkpoint.close()
    this.#failure ??= ledgerClosed()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#open ??= this.#commit(this.#takeQueue())
      if (advance(this.#open).done === true) this.#open = undefined
      if (this.#open !== undefined || this.#queue.length > 0) this.#schedule()
    })
  }

  #takeQueue(): CommitRequest[] {
    const requests = this.#queue
    this.#queue = []
    return requests
  }

  /** Commits a batch. Never throws, unless `terminate` does. */
  *#commit(requests: CommitRequest[]): Steps<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure
      const durable = yield* this.#write(requests)
      if (durable === undefined) return
      this.#isFull = false
      for (const { resolve } of durable) resolve()
      this.#parts.onBatch(durable.length, this.#syncSeconds)
    } catch (error) {
      const isRefused = isDiskFull(error)
      this.#isFull = isRefused
      for (const { reject } of requests) reject(isRefused ? diskFull(error) : error)
      if (!isRefused) this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = new Error("the ledger failed", { cause: error })
    this.#parts.terminate(error)
  }

  /** Returns the requests that are durable now; undefined when there was nothing to write. */
  *#write(requests: CommitRequest[]): Steps<CommitRequest[] | undefined> {
    const { connection, shards, witness } = this.#parts
    const floorMs = Math.max(shards.deployment.floorMs, this.#latestMs)
    const transaction = new WriteTransaction(shards, { ...shards.deployment, floorMs })
    const done: CommitRequest[] = []
    for (const request of requests) if (yield* attempt(request, transaction)) done.push(request)
    if (done.length === 0 && floorMs === shards.deployment.floorMs) return undefined
    yield* transaction.finish()
    const startMs = performance.now()
    connection.exec("BEGIN IMMEDIATE")
    try {
      this.#written = transaction.shards
      yield* transaction.write()
      connection.exec("COMMIT")
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK")
      throw error
    } finally {
      this.#written = undefined
    }
    this.#syncSeconds = (performance.now() - startMs) / 1000
    shards.publish(transaction.deployment, transaction.shards, transaction.values())
    witness.write(transaction.deployment.sequence)
    this.#checkpoint.count(transaction.bytes)
    // The callers of a long transaction handle its outcome in the next turn.
    if (transaction.rows.size > LONG_TRANSACTION) yield
    return done
  }

  /** Commits the rows that are being written, if they are of the shard. */
  #endWriting(shard: string | undefined): void {
    if (this.#written === undefined || !(shard === undefined || this.#written.has(shard))) return
    while (this.#written !== undefined) this.#open?.next()
  }
}

/** Rows of a transaction that its callers handle in a turn of its own. */
const LONG_TRANSACTION = 500

const FLOOR_STEP_MS = 60_000

const diskFull = (cause: unknown): Refusal =>
  refuse("LEDGER_FULL", "the disk of the signer's ledger is full; nothing was written", { cause })

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
