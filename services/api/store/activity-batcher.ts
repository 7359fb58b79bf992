import { type ActivityRow, packActivity, type PackedActivity } from "./activity-row.ts"
import { type Database, sqlState } from "../../database/database.ts"
import { type Insertion, insertBatch } from "./insert-batch.ts"

/** More rows in one statement gain nothing and delay the first of them. */
const MAX_ROWS = 200
/** Limit on the text of one statement: bodies may be large. */
const MAX_CHARACTERS = 1 << 20

/**
 * Statements at a time. With one, nearly all callers under load wait for the same statement, and this process and the
 * signer are idle until its commit. With more than three, statements get smaller, and each costs as much as 12 rows.
 */
const MAX_STATEMENTS = 3

/** After a statement with this many rows, the next one waits shortly for more rows. */
const LOAD_ROWS = 4
/** With this many rows a statement starts without waiting. */
const HIGH_WATER_MARK = 12
/**
 * Wait for more rows, per row of the previous statement. Under higher load requests take longer anyway, and a longer wait
 * saves more statements.
 */
const WAIT_MS_PER_ROW = 0.25
const MAX_WAIT_MS = 5

/** Callers resumed at once. Each writes a reply; orders to the signer are sent between such groups. */
const RESOLVED_PER_TURN = 12

/**
 * SQLSTATE classes caused by rows or by collisions: cardinality, data, constraint, rollback. Any other error (connection,
 * shutdown, full disk) would fail each single row as well.
 */
const ROW_FAULTS = ["21", "22", "23", "40"]

/**
 * Inserts activities of many callers with one statement: rows that arrive while statements run go into the next one. A
 * single caller is never delayed; under load callers share the cost of a commit. Every insertion resolves after its
 * commit.
 *
 * After a broken connection the row may or may not be stored. Inserting it again is safe: the result is 'inserted' if the
 * stored row has the same id.
 */
export class ActivityBatcher {
  readonly #sql: Database
  #waiting: Waiting[] = []
  /** Statements that run. */
  #running = 0
  /** Rows of the latest statement; 0 after an idle moment. */
  #lastRows = 0
  #timer: NodeJS.Timeout | undefined
  #isScheduled = false
  #onIdle: (() => void)[] = []

  constructor(sql: Database) {
    this.#sql = sql
  }

  insert(row: ActivityRow): Promise<Insertion> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row: packActivity(row), resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      // Simultaneous callers share a statement.
      queueMicrotask(() => {
        this.#isScheduled = false
        this.#startDue()
      })
    })
  }

  /** Rows that no statement contains yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when no row waits and every statement has ended. */
  async idle(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  get #isBusy(): boolean {
    return this.#waiting.length > 0 || this.#running > 0
  }

  #startDue(): void {
    while (this.#isDue()) this.#start()
    if (this.#waiting.length > 0 && this.#running < MAX_STATEMENTS) this.#startLater()
  }

  #isDue(): boolean {
    if (this.#waiting.length === 0 || this.#running === MAX_STATEMENTS) return false
    return this.#waiting.length >= HIGH_WATER_MARK || (this.#running === 0 && this.#lastRows < LOAD_ROWS)
  }

  /** Starts a statement after a wait by the current load, unless one starts earlier. */
  #startLater(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined
        if (this.#waiting.length > 0 && this.#running < MAX_STATEMENTS) this.#start()
      },
      Math.min(this.#lastRows * WAIT_MS_PER_ROW, MAX_WAIT_MS),
    )
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting.splice(0, this.#batchLength())
    this.#lastRows = batch.length
    this.#running++
    void this.#insert(batch).then(() => this.#end())
  }

  #end(): void {
    this.#running--
    if (this.#isBusy) return this.#startDue()
    this.#lastRows = 0
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #batchLength(): number {
    let length = 0
    let characters = 0
    for (const { row } of this.#waiting) {
      characters += row.contents.length + (row.failure?.length ?? 0)
      if (length > 0 && (length === MAX_ROWS || characters > MAX_CHARACTERS)) break
      length++
    }
    return length
  }

  /** Never rejects. A batch that the database refuses is halved until the faulty row is alone. */
  async #insert(batch: Waiting[]): Promise<void> {
    try {
      const rows = batch.map(({ row }) => row)
      const insertionOf = await insertBatch(this.#sql, rows)
      const inserted = batch.map(({ row, resolve }) => ({ insertion: insertionOf(row), resolve }))
      useInBatches(inserted, RESOLVED_PER_TURN, ({ insertion, resolve }) => resolve(insertion))
    } catch (error) {
      if (batch.length === 1 || !isRowFault(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      const middle = batch.length >> 1
      await this.#insert(batch.slice(0, middle))
      await this.#insert(batch.slice(middle))
    }
  }
}

type Waiting = {
  row: PackedActivity
  resolve: (insertion: Insertion) => void
  reject: (error: unknown) => void
}

function isRowFault(error: unknown): boolean {
  const state = sqlState(error)
  // A TypeError is a value that cannot be encoded.
  return state === undefined ? error instanceof TypeError : ROW_FAULTS.includes(state.slice(0, 2))
}

/** Uses the items of a list, one batch in each turn of the event loop, the first batch at once. `use` must not throw. */
export function useInBatches<Item>(
  items: readonly Item[],
  batchSize: number,
  use: (item: Item) => void,
): void {
  const useFrom = (start: number): void => {
    const next = start + batchSize
    for (const item of items.slice(start, next)) use(item)
    if (next < items.length) setImmediate(useFrom, next)
  }
  useFrom(0)
}
