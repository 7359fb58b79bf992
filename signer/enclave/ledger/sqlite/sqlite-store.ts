import type { DatabaseSync } from "node:sqlite"
import { damaged, ledgerClosed } from "../refusals.ts"
import type {
  Appended,
  Batch,
  ExpiredPage,
  ExpiredRow,
  LedgerStore,
  LoadedShard,
  NamedShard,
  RowsPage,
  ShardsPage,
  StoredPage,
  StoredLane,
  StoredRow,
  Tail,
  Tenure,
} from "../store.ts"
import { isDiskFull } from "./fault.ts"
import { LogCheckpoint } from "./log-checkpoint.ts"
import type { LongWriter } from "./long-writer.ts"
import { requireSchema } from "./schema.ts"
import { Statements } from "./statements.ts"
import { executeAll, logBytesOf, type Write } from "./writes.ts"

export type SqliteStoreParts = {
  /** It has the ledger locked (connection.ts): nobody else writes while it is open. */
  connection: DatabaseSync
  longWriter: LongWriter
}

/**
 * The store in one SQLite database. The lock of the files decides who writes, so no fence has to grow: a second writer cannot
 * open the files before the first has closed them. Reads and short transactions are made within the call, by one connection.
 */
export class SqliteStore implements LedgerStore {
  readonly reads: Statements
  onFault: ((error: unknown) => void) | undefined
  readonly #parts: SqliteStoreParts
  readonly #checkpoint: LogCheckpoint
  #tenure: Tenure | undefined
  /** The append that is under way or was the last. */
  #appending: Promise<unknown> = Promise.resolve()
  #failure: unknown
  #isClosed = false

  /** @throws LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED */
  constructor(parts: SqliteStoreParts) {
    requireSchema(parts.connection)
    this.#parts = parts
    this.reads = new Statements(parts.connection)
    this.#checkpoint = new LogCheckpoint({ ...parts, onFault: (error) => this.onFault?.(error) })
  }

  /** As `takeOver`, within the call: the files are locked. @throws LEDGER_DAMAGED */
  begin(): Tenure {
    this.#requireOpen()
    if (this.#tenure !== undefined) throw new Error("the store has its writer already")
    const identity = this.reads.identity()
    const lanes = this.reads.lanes()
    if (identity === undefined) throw damaged("the ledger has no identity")
    this.#tenure = { ...identity, lanes, fence: Math.max(...lanes.map(({ fence }) => fence)) }
    return this.#tenure
  }

  async takeOver(): Promise<Tenure> {
    return this.begin()
  }

  async load(names: readonly string[]): Promise<LoadedShard[]> {
    this.#requireOpen()
    return names.map((name) => ({
      name,
      stored: this.reads.shard(name),
      rows: this.reads.rowsIn(name),
    }))
  }

  rows(page: RowsPage): Promise<StoredRow[]>
  rows(page: ExpiredPage): Promise<ExpiredRow[]>
  rows(page: ShardsPage): Promise<NamedShard[]>
  async rows(page: StoredPage): Promise<unknown[]> {
    this.#requireOpen()
    return this.reads.page(page as RowsPage)
  }

  append(batch: Batch, onShown: () => void): Promise<Appended> {
    this.#appending = this.#append(batch, onShown)
    return this.#appending as Promise<Appended>
  }

  async turn(): Promise<void> {
    this.#requireWriter()
  }

  /** The database has the state and no transactions. */
  async tail(after: readonly bigint[]): Promise<Tail> {
    this.#requireOpen()
    const lanes = this.reads.lanes()
    return { lanes, batches: lanes.every(({ lane, sequence }) => after[lane] === sequence) ? [] : undefined }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#appending.catch(() => undefined)
    await this.#checkpoint.end()
    await this.#parts.longWriter.close()
    this.#parts.connection.close()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw ledgerClosed()
  }

  #requireWriter(): Tenure {
    this.#requireOpen()
    if (this.#tenure === undefined) throw new Error("a writer takes the store over first")
    return this.#tenure
  }

  async #append(batch: Batch, onShown: () => void): Promise<Appended> {
    const { fence } = this.#requireWriter()
    if (this.#failure !== undefined) throw this.#failure
    if (batch.fence !== fence) return { is: "refused", because: "fenced" }
    const log = { bytes: 0 }
    const show = () => {
      onShown()
      this.#checkpoint.count(log.bytes)
    }
    try {
      const writes = writesOf(batch, log)
      const isWritten =
        batch.rows > LONG_TRANSACTION ? await this.#writeLong(writes, show) : this.#writeShort(writes, show)
      if (isWritten) return { is: "done" }
    } catch (error) {
      if (isDiskFull(error)) return { is: "refused", because: "full", cause: error }
      return this.#fail(error)
    }
    if (!this.#has(batch.lanes)) return { is: "refused", because: "conflict", cause: new Error(LANE_MOVED) }
    onShown()
    return { is: "done" }
  }

  /** After a failed write or sync nothing tells what is on the disk. */
  #fail(error: unknown): never {
    this.#failure = error
    throw error
  }

  /** False: a lane is at another sequence, and nothing was written. */
  #writeShort(writes: Iterable<Write>, show: () => void): boolean {
    const { connection } = this.#parts
    connection.exec("BEGIN IMMEDIATE")
    try {
      const isWritten = executeAll(writes, this.reads)
      connection.exec(isWritten ? "COMMIT" : "ROLLBACK")
      if (!isWritten) return false
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK")
      throw error
    }
    show()
    return true
  }

  /** As `#writeShort`, in a thread. Reads use a snapshot until the transaction has ended: no decision sees part of it. */
  async #writeLong(writes: Iterable<Write>, show: () => void): Promise<boolean> {
    const { connection, longWriter } = this.#parts
    connection.exec("BEGIN")
    this.reads.beginSnapshot() // the first read takes it
    let isWritten = false
    try {
      isWritten = await longWriter.write(writes)
    } finally {
      connection.exec("ROLLBACK")
    }
    // No pause since the end of the snapshot.
    if (isWritten) show()
    return isWritten
  }

  /** True if the lanes are as this batch leaves them: their MACs cover everything in it. */
  #has(lanes: readonly StoredLane[]): boolean {
    const stored = new Map(this.reads.lanes().map((each) => [each.lane, each]))
    return lanes.every((each) => {
      const now = stored.get(each.lane)
      return now?.sequence === each.sequence && Buffer.compare(now.mac, each.mac) === 0
    })
  }
}

const LANE_MOVED = "a lane of the ledger is at another sequence"

/** Rows of a transaction from which a thread writes it. */
const LONG_TRANSACTION = 500

/** The statements of a batch; counts what they add to the log. The lanes come first: a batch that is stored already changes nothing. */
function* writesOf({ changes, lanes }: Batch, log: { bytes: number }): Generator<Write> {
  for (const lane of lanes) yield { is: "lane", lane }
  for (const change of changes) {
    log.bytes += logBytesOf(change)
    yield change
  }
}
