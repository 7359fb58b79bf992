import {
  type ActivityRow,
  activityColumns,
  hex,
  insertActivities,
  readActivity,
  type StoredActivity,
} from "./activity-row.ts"
import { type Database, sqlState } from "./database.ts"

/** 'inserted', or the row that was already there for this fingerprint. */
export type Insertion = "inserted" | ActivityRow

/** More rows in one statement gain nothing and delay the first of them. */
const MOST_ROWS = 200
/** Intents may be large; beyond this much JSON the next rows are better off in a statement of their own. */
const MOST_CHARACTERS = 1 << 20

/** From so many rows in the statement before, more are sure to come: the next one waits for them a moment. */
const CROWD = 4
/** With so many rows there is nothing to wait for. */
const ENOUGH = 32
/**
 * A statement costs as much as a dozen rows: under load this wait gives back many times what it takes. The larger
 * the crowd, the longer its requests take anyway, and the longer its rows are waited for.
 */
const GATHER_MS_PER_ROW = 0.25
const MOST_GATHER_MS = 5

/**
 * SQLSTATE classes that blame the data or a collision: cardinality, data, constraint, rollback. Anything else
 * (no connection, shutdown, full disk) would meet each row alone as well.
 */
const FAULTS_OF_ROWS = ["21", "22", "23", "40"]

/**
 * Inserts activities, many callers to a statement: what arrives while a statement runs goes into the next
 * one. A caller alone is never delayed; under load the cost of a commit is shared. Every insertion resolves
 * after its commit.
 *
 * If the connection breaks, the row may or may not be there: insert it again, and the answer is 'inserted' as
 * well when the row found carries the same id.
 */
export class ActivityBatcher {
  readonly #sql: Database
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #onEnough: (() => void) | undefined

  constructor(sql: Database) {
    this.#sql = sql
  }

  insert(row: ActivityRow): Promise<Insertion> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject })
      if (this.#waiting.length >= ENOUGH) this.#onEnough?.()
      this.#running ??= this.#run()
    })
  }

  /** Rows that wait for the statement in flight: the measure of how far the database is behind. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    // One turn of the microtask queue: callers of the same moment share the first statement.
    await Promise.resolve()
    for (let last = 0; this.#waiting.length > 0; ) {
      if (last >= CROWD && this.#waiting.length < ENOUGH) await this.#gather(last)
      const batch = this.#waiting.splice(0, this.#batchLength())
      last = batch.length
      await this.#settle(batch)
    }
    this.#running = undefined
  }

  /** Until the time is over that a crowd of this size is worth, or enough have come. */
  #gather(crowd: number): Promise<void> {
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, Math.min(crowd * GATHER_MS_PER_ROW, MOST_GATHER_MS))
      this.#onEnough = () => {
        clearTimeout(timeout)
        this.#onEnough = undefined
        resolve()
      }
    })
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
      const answers = await insertBatch(this.#sql, rows)
      for (const { row, resolve } of batch) resolve(answers(row))
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

/** One statement; a second one only if fingerprints were taken. What it returns tells each row's answer. */
async function insertBatch(sql: Database, rows: ActivityRow[]): Promise<(row: ActivityRow) => Insertion> {
  const { count } = await sql`${insertActivities(sql, rows)}
    on conflict (organization_id, fingerprint) do nothing`
  if (count === rows.length) return () => "inserted"
  // Of equal fingerprints in this batch one row was written, and the look-up gives it to the others.
  const there = await findByFingerprint(sql, rows)
  return (row) => answer(row, there.get(keyOf(row)))
}

function answer(row: ActivityRow, found: ActivityRow | undefined): Insertion {
  if (!found) throw new Error("an activity was removed while it was being inserted")
  return found.id === row.id.toLowerCase() ? "inserted" : found
}

async function findByFingerprint(sql: Database, keys: Key[]): Promise<Map<string, ActivityRow>> {
  const wanted = keys.map(({ organizationId, fingerprint }) => ({
    organizationId,
    fingerprint: hex(fingerprint),
  }))
  const rows = await sql<StoredActivity[]>`
    select ${activityColumns(sql)} from activities
    join jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as given ("organizationId" uuid, fingerprint text)
      on activities.organization_id = given."organizationId"
      and activities.fingerprint = decode(given.fingerprint, 'hex')`
  return new Map(rows.map((row) => [keyOf(row), readActivity(row)]))
}

type Key = Pick<ActivityRow, "organizationId" | "fingerprint">

function keyOf({ organizationId, fingerprint }: Key): string {
  return `${organizationId.toLowerCase()}/${hex(fingerprint)}`
}
