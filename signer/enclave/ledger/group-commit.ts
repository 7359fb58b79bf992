import type { DatabaseSync } from "node:sqlite"
import { Refusal, refuse } from "../../core/refusal.ts"
import type { CommittedShards } from "./shards.ts"
import { isDiskFull } from "./fault.ts"
import { WriteTransaction } from "./write-transaction.ts"
import type { Witness } from "./witness.ts"

export type GroupCommitParts = {
  connection: DatabaseSync
  shards: CommittedShards
  witness: Witness
  /** Ends the process: after a failed write or sync nobody knows what is on disk but the next start. */
  terminate: (error: unknown) => void
  /** Told after each transaction how many requests it made durable. */
  onBatch: (requests: number) => void
}

type CommitRequest = {
  run: (posting: WriteTransaction) => void
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * One transaction, and one sync, for everything requested within one turn of the event loop. While a sync lasts,
 * requests gather outside, so that batches grow with the load and a lone request waits for nobody.
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
  submit(run: (posting: WriteTransaction) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, resolve, reject })
      this.#schedule()
    })
  }

  advanceTime(nowMs: number): void {
    this.#latestMs = Math.max(this.#latestMs, nowMs)
    if (this.#latestMs >= this.#parts.shards.deployment.floorMs + FLOOR_STEP_MS) this.#schedule()
  }

  /** Forgets what time was noted; the next transaction of `submit` sets the floor. */
  forgetTime(): void {
    this.#latestMs = 0
  }

  /** Refuses whatever comes later; what is queued is written now. */
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
      const done = this.#write(requests)
      if (done === undefined) return
      for (const { resolve } of done) resolve()
      this.#parts.onBatch(done.length)
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

  /** Returns the requests that are durable now; undefined: there was nothing to write. */
  #write(requests: CommitRequest[]): CommitRequest[] | undefined {
    const { connection, shards: books, witness } = this.#parts
    const floorMs = Math.max(books.deployment.floorMs, this.#latestMs)
    const posting = new WriteTransaction(books, { ...books.deployment, floorMs })
    connection.exec("BEGIN IMMEDIATE")
    try {
      const done = requests.filter((request) => this.#attempt(request, posting))
      if (done.length === 0 && floorMs === books.deployment.floorMs) {
        connection.exec("ROLLBACK")
        return undefined
      }
      posting.finish()
      connection.exec("COMMIT")
      books.publish(posting.deployment, posting.shards, posting.rows)
      witness.write(posting.deployment.sequence)
      this.#bytesInLog += posting.bytes
      return done
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK")
      throw error
    }
  }

  /** One request fails alone when it is refused; any other fault is the transaction's. */
  #attempt({ run, reject }: CommitRequest, posting: WriteTransaction): boolean {
    const { connection } = this.#parts
    connection.exec("SAVEPOINT request")
    try {
      const fork = posting.nest()
      run(fork)
      posting.merge(fork)
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

  /** Moves the log into the database before it grows long. On a full disk the log simply stays. */
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

/** Long enough that a checkpoint's two syncs do not count, short enough to replay in a moment at start. */
const LOG_BYTES = 4 * 1024 * 1024

const diskFull = (cause: unknown): Refusal =>
  refuse("ORGANIZATION_BUSY", "the signer's disk is full; nothing was written", { cause })
