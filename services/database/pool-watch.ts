import type { Logger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, type Database, type DatabaseConfig, poolState } from "./database.ts"
import type { Pools } from "./pool-figures.ts"

/** A pool is dead if its statements got no answer for this long while new connections outside it are answered. */
const SILENT_MS = 30_000
const CHECK_EVERY_MS = 5_000

/** The fresh connection answers within this time, or the database does not answer it either. */
const FRESH_CONNECTION = { max: 1, applicationName: "countersign-probe", statementTimeoutMs: 2_000 }

/** EX_SOFTWARE of sysexits.h: a supervisor starts the process again. */
const POOL_DEAD = 70

type PoolWatchParts = {
  config: DatabaseConfig
  pools: Pools
  log: Logger
  /** Ends the process. */
  exit?: (status: number) => void
  silentMs?: number
  everyMs?: number
  /** Monotonic. */
  nowMs?: () => number
}

/**
 * A pool as of the latest check that found an answer. `sinceMs`: monotonic time of the first check since which the pool has
 * not answered although the database has.
 */
type Watched = { pool: string; sql: Database; asked: number; answered: number; sinceMs: number | undefined }

/**
 * Ends the process when one of its pools gets no answers although the database answers: the process could serve no
 * request until a restart. While the database itself is unavailable, the process keeps running.
 */
export class PoolWatch {
  readonly #parts: Required<PoolWatchParts>
  readonly #watched: Watched[]
  readonly #timer: NodeJS.Timeout
  #isChecking = false

  constructor(parts: PoolWatchParts) {
    this.#parts = {
      exit: (status) => process.exit(status),
      silentMs: SILENT_MS,
      everyMs: CHECK_EVERY_MS,
      nowMs: () => performance.now(),
      ...parts,
    }
    const start = { asked: 0, answered: 0, sinceMs: undefined }
    this.#watched = Object.entries(parts.pools).map(([pool, sql]) => ({ pool, sql, ...start }))
    this.#timer = setInterval(() => void this.#check(), this.#parts.everyMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    const silent = this.#watched.filter(isSilent)
    // The statement that was not answered may be the last one for long: a pool that is well answers this one.
    for (const { sql } of silent) sql`select 1`.catch(() => undefined)
    const isDatabaseWell = silent.length > 0 && (await answersFresh(this.#parts.config))
    for (const watched of silent) {
      if (isDatabaseWell) watched.sinceMs ??= this.#parts.nowMs()
      else watched.sinceMs = undefined
      if (isSilent(watched) && this.#isOver(watched)) this.#end(watched)
    }
    this.#isChecking = false
  }

  #isOver({ sinceMs }: Watched): boolean {
    const { nowMs, silentMs } = this.#parts
    return sinceMs !== undefined && nowMs() - sinceMs >= silentMs
  }

  #end({ pool, sql }: Watched): void {
    const { log, exit, silentMs } = this.#parts
    const sentence = `a pool of database connections has answered nothing for ${silentMs / 1000} s, and new connections are answered: this process ends, to be started again`
    log.fatal({ pool, ...poolState(sql) }, sentence)
    exit(POOL_DEAD)
  }
}

/** True if the pool was asked and has answered nothing since the latest check that found an answer. */
function isSilent(watched: Watched): boolean {
  const { asked, answered } = poolState(watched.sql)
  if (answered === watched.answered && asked > watched.asked) return true
  Object.assign(watched, { asked, answered, sinceMs: undefined })
  return false
}

async function answersFresh(config: DatabaseConfig): Promise<boolean> {
  const sql = connectDatabase(config, FRESH_CONNECTION)
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await closeDatabase(sql, 0)
  }
}
