import type { DatabaseSync } from "node:sqlite"
import { Refusal, refuse } from "../../core/refusal.ts"
import { isDiskFull } from "./fault.ts"
import type { CommittedShards } from "./shards.ts"
import type { Witness } from "./witness.ts"
import { WriteTransaction } from "./write-transaction.ts"

export type GroupCommitParts = {
  connection: DatabaseSync
  shards: CommittedShards
  witness: Witness
  /** Ends the process: after a failed write or sync only the next start can find out what is on disk. */
  terminate: (error: unknown) => void
  /** Called after each transaction with the number of requests it made durable. */
  onBatch: (requests: number) => void
}

type CommitRequest = {
  run: (transaction: WriteTransaction) => void
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Commits all requests of one turn of the event loop in one transaction with one sync. Requests that arrive during a
 * sync form the next batch: batches grow with the load, and a lone request does not wait.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts
  #queue: CommitRequest[] = []
  #isScheduled = false
  #failure: Error | undefined
  #latestMs = 0
  #bytesInLog = 0

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
  }

  /** Resolves after the sync; rejects with what `run` threw, or ORGANIZATION_BUSY on a full disk. */
  submit(run: (transaction: WriteTransaction) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, resolve, reject })
      this.#schedule()
    })
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
    this.flush()
    this.#failure ??= new Error("the ledger is closed")
  }

  flush(): void {
    const requests = this.#queue
    this.#queue = []
    this.#isScheduled = false
    try {
      if (this.#failure !== undefined) throw this.#failure
      const durable = this.#write(requests)
      if (durable === undefined) return
      for (const { resolve } of durable) resolve()
      this.#parts.onBatch(durable.length)
      this.#checkpoint()
    } catch (error) {
      const isRefused = isDiskFull(error)
      for (const { reject } of requests) reject(isRefused ? diskFull(error) : error)
      if (isRefused || this.#failure !== undefined) return
      this.#failure = new Error("the ledger failed", { cause: error })
      this.#parts.terminate(error)
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.flush())
  }

  /** Returns the requests that are durable now; undefined when there was nothing to write. */
  #write(requests: CommitRequest[]): CommitRequest[] | undefined {
    const { connection, shards, witness } = this.#parts
    const floorMs = Math.max(shards.deployment.floorMs, this.#latestMs)
    const transaction = new WriteTransaction(shards, { ...shards.deployment, floorMs })
    connection.exec("BEGIN IMMEDIATE")
    try {
      const done = requests.filter((request) => this.#attempt(request, transaction))
      if (done.length === 0 && floorMs === shards.deployment.floorMs) {
        connection.exec("ROLLBACK")
        return undefined
      }
      transaction.finish()
      connection.exec("COMMIT")
      shards.publish(transaction.deployment, transaction.shards, transaction.rows)
      witness.write(transaction.deployment.sequence)
      this.#bytesInLog += transaction.bytes
      return done
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK")
      throw error
    }
  }

  /** A refused request fails alone; any other fault fails the whole transaction. */
  #attempt({ run, reject }: CommitRequest, transaction: WriteTransaction): boolean {
    const { connection } = this.#parts
    connection.exec("SAVEPOINT request")
    try {
      const nested = transaction.nest()
      run(nested)
      transaction.merge(nested)
      connection.exec("RELEASE request")
      return true
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof RangeError)) throw error
      connection.exec("ROLLBACK TO request")
      connection.exec("RELEASE request")
      reject(error)
      return false
    }
  }

  /** Moves the write-ahead log into the database before it grows long. On a full disk the log stays. */
  #checkpoint(): void {
    if (this.#bytesInLog < LOG_BYTES) return
    try {
      this.#parts.connection.exec("PRAGMA wal_checkpoint(PASSIVE)")
      this.#bytesInLog = 0
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
  }
}

const FLOOR_STEP_MS = 60_000

/** Long enough that a checkpoint's two syncs are rare, short enough to replay fast at start. */
const LOG_BYTES = 4 * 1024 * 1024

const diskFull = (cause: unknown): Refusal =>
  refuse("ORGANIZATION_BUSY", "the signer's disk is full; nothing was written", { cause })
