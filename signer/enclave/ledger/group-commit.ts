import type { DatabaseSync } from "node:sqlite"
import { Refusal, refuse } from "../../core/refusal.ts"
import { advance, type Steps } from "../../core/turns/steps.ts"
import { isDiskFull, ledgerClosed } from "./fault.ts"
import { LogCheckpoint } from "./log-checkpoint.ts"
import { type LongWriter, turn } from "./long-writer.ts"
import type { CommittedShards } from "./shards.ts"
import type { Witness } from "./witness.ts"
import { execute } from "./writes.ts"
import { WriteTransaction } from "./write-transaction.ts"

export type GroupCommitParts = {
  connection: DatabaseSync
  shards: CommittedShards
  longWriter: LongWriter
  witness: Witness
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
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Commits all requests of one turn of the event loop in one transaction with one sync. Requests that arrive during a
 * transaction form the next batch: batches grow with the load, and a lone request does not wait.
 *
 * A transaction of many rows is prepared in slices, with turns of the event loop in between, and written by a thread.
 * Meanwhile reads see the state before it.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts
  readonly #checkpoint: LogCheckpoint
  #queue: CommitRequest[] = []
  /** The batch that is being committed. */
  #running: Promise<void> | undefined
  #isScheduled = false
  #failure: Error | undefined
  #latestMs = 0
  #timeResets = 0
  #isFull = false

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
    this.#checkpoint = new LogCheckpoint({ ...parts, onFault: (error) => this.#fail(error) })
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
    await this.#running
    await this.#start()
    this.#failure ??= ledgerClosed()
    await this.#checkpoint.end()
  }

  #schedule(): void {
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
      if (this.#queue.length > 0) this.#schedule()
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
    if (transaction.rows.size > LONG_TRANSACTION) await this.#writeLong(transaction)
    else this.#writeShort(transaction)
    onBatch(done.length, (performance.now() - startMs) / 1000)
    return done
  }

  #writeShort(transaction: WriteTransaction): void {
    const { connection, shards } = this.#parts
    connection.exec("BEGIN IMMEDIATE")
    try {
      for (const write of transaction.writes()) execute(write, shards.statements)
      connection.exec("COMMIT")
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK")
      throw error
    }
    this.#publish(transaction)
  }

  /**
   * Reads see a snapshot until the transaction is published. Otherwise two reads for one decision could see the state
   * before and after it.
   */
  async #writeLong(transaction: WriteTransaction): Promise<void> {
    const { connection, shards, longWriter } = this.#parts
    connection.exec("BEGIN")
    shards.statements.beginSnapshot() // the first read takes it
    try {
      await longWriter.write(transaction.writes())
    } finally {
      connection.exec("ROLLBACK")
    }
    // No pause since the end of the snapshot.
    this.#publish(transaction)
  }

  #publish(transaction: WriteTransaction): void {
    const { shards, witness, onCommit } = this.#parts
    shards.publish(transaction.state, transaction.shards, transaction.values())
    witness.write(transaction.changedLanes())
    onCommit()
    this.#checkpoint.count(transaction.bytes)
  }
}

/** Rows of a transaction from which a thread writes it. */
const LONG_TRANSACTION = 500

const FLOOR_STEP_MS = 60_000

const diskFull = (cause: unknown): Refusal =>
  refuse("LEDGER_FULL", "the disk of the signer's ledger is full; nothing was written", { cause })

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
