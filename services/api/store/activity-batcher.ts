import { useInBatches } from "../../../signer/core/turn-queue.ts"
import type { ActivityRow } from "./activity-row.ts"
import { type Database, sqlState } from "./database.ts"
import { type Insertion, insertBatch } from "./insert-batch.ts"

/** More rows in one statement gain nothing and delay the first of them. */
const MOST_ROWS = 200
/** Intents may be large; beyond this much JSON the next rows are better off in a statement of their own. */
const MOST_CHARACTERS = 1 << 20

/**
 * Under load with a single one nearly all callers end up waiting for the same statement, and this process and the
 * signer idle until its commit. More than three would only be smaller, and a statement costs as much as a dozen rows.
 */
const MOST_STATEMENTS = 3

/** From so many rows in the statement before, more are sure to come: the next one waits for them a moment. */
const CROWD = 4
/** With so many rows there is nothing to wait for. */
const ENOUGH = 12
/**
 * Under load this wait gives back many times what it takes. The larger the crowd, the longer its requests take
 * anyway, and the longer its rows are waited for.
 */
const GATHER_MS_PER_ROW = 0.25
const MOST_GATHER_MS = 5

/** Each answer is a reply to write; between a few of them orders leave for the signer, which would idle else. */
const ANSWERS_PER_TURN = 12

/**
 * SQLSTATE classes that blame the data or a collision: cardinality, data, constraint, rollback. Anything else
 * (no connection, shutdown, full disk) would meet each row alone as well.
 */
const FAULTS_OF_ROWS = ["21", "22", "23", "40"]

/**
 * Inserts activities, many callers to a statement: what arrives while statements run goes into the next one. A
 * caller alone is never delayed; under load the cost of a commit is shared. Every insertion resolves after its
 * commit.
 *
 * If the connection breaks, the row may or may not be there: insert it again, and the answer is 'inserted' as
 * well when the row found carries the same id.
 */
export class ActivityBatcher {
  readonly #sql: Database
  #waiting: Waiting[] = []
  /** Statements. */
  #underWay = 0
  /** Rows of the latest statement; 0 when nothing was left behind it. */
  #last = 0
  #gathering: NodeJS.Timeout | undefined
  #isScheduled = false
  #onIdle: (() => void)[] = []

  constructor(sql: Database) {
    this.#sql = sql
  }

  insert(row: ActivityRow): Promise<Insertion> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      // One turn of the microtask queue: callers of the same moment share a statement.
      queueMicrotask(() => {
        this.#isScheduled = false
        this.#proceed()
      })
    })
  }

  /** Rows that no statement has taken yet: the measure of how far the database is behind. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when no row waits and every statement has ended. */
  async idle(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  get #isBusy(): boolean {
    return this.#waiting.length > 0 || this.#underWay > 0
  }

  #proceed(): void {
    while (this.#isDue()) this.#start()
    if (this.#waiting.length > 0 && this.#underWay < MOST_STATEMENTS) this.#gather()
  }

  #isDue(): boolean {
    if (this.#waiting.length === 0 || this.#underWay === MOST_STATEMENTS) return false
    return this.#waiting.length >= ENOUGH || (this.#underWay === 0 && this.#last < CROWD)
  }

  /** Until the time is over that a crowd of this size is worth, or a statement is due. */
  #gather(): void {
    this.#gathering ??= setTimeout(
      () => {
        this.#gathering = undefined
        if (this.#waiting.length > 0 && this.#underWay < MOST_STATEMENTS) this.#start()
      },
      Math.min(this.#last * GATHER_MS_PER_ROW, MOST_GATHER_MS),
    )
  }

  #start(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    const batch = this.#waiting.splice(0, this.#batchLength())
    this.#last = batch.length
    this.#underWay++
    void this.#settle(batch).then(() => this.#end())
  }

  #end(): void {
    this.#underWay--
    if (this.#isBusy) return this.#proceed()
    this.#last = 0
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #batchLength(): number {
    let length = 0
    let characters = 0
    for (const { row } of this.#waiting) {
      characters += row.intent.length + row.votes.length + (row.appProofs?.length ?? 0)
      if (length > 0 && (length === MOST_ROWS || characters > MOST_CHARACTERS)) break
      length++
    }
    return length
  }

  /** Never rejects. A batch the database refuses is halved until the bad row stands alone. */
  async #settle(batch: Waiting[]): Promise<void> {
    try {
      const rows = batch.map(({ row }) => row)
      const answerTo = await insertBatch(this.#sql, rows)
      const answered = batch.map(({ row, resolve }) => ({ answer: answerTo(row), resolve }))
      useInBatches(answered, ANSWERS_PER_TURN, ({ answer, resolve }) => resolve(answer))
    } catch (error) {
      if (batch.length === 1 || !isFaultOfRows(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      const middle = batch.length >> 1
      await this.#settle(batch.slice(0, middle))
      await this.#settle(batch.slice(middle))
    }
  }
}

type Waiting = { row: ActivityRow; resolve: (insertion: Insertion) => void; reject: (error: unknown) => void }

function isFaultOfRows(error: unknown): boolean {
  const state = sqlState(error)
  // A TypeError is a value that could not be encoded.
  return state === undefined ? error instanceof TypeError : FAULTS_OF_ROWS.includes(state.slice(0, 2))
}
