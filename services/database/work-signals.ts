// Signals between loops that look for work in the database, of one process or of several.
import type { Logger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, type Database, type DatabaseConfig } from "./database.ts"

/** Name of the channel of LISTEN and NOTIFY. Its messages are empty. */
const CHANNEL = "countersign_work"

/** Pause between two signals to other processes: nobody looks more often. */
const ANNOUNCED_MS = 200

/** Pause between attempts to listen. */
const REOPEN_MS = 1_000

/** Signals within this process. */
export class WorkSignals {
  readonly #listeners: (() => void)[] = []

  onWork(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Something was stored that others may wait for. */
  announce(): void {
    this.signal()
  }

  protected signal(): void {
    for (const listener of this.#listeners) listener()
  }
}

/**
 * Signals to all processes of a database. A signal may be lost with its connection, so that whoever waits for one also looks by
 * itself from time to time. Signals decide when somebody looks, and never what is found.
 */
export class DatabaseSignals extends WorkSignals {
  readonly #sql: Database
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #announced: NodeJS.Timeout | undefined
  #isDue = false
  #isClosed = false

  constructor(config: DatabaseConfig, log: Logger) {
    super()
    this.#log = log
    this.#sql = connectDatabase(config, {
      max: 1,
      applicationName: "countersign-signals",
      onNotify: () => this.signal(),
      onClose: () => this.#listenLater(),
    })
  }

  /** The connection, for the watch of pools. */
  get pool(): Database {
    return this.#sql
  }

  /** Begins to listen, when the database answers. */
  start(): void {
    void this.#listen()
  }

  override announce(): void {
    super.announce()
    this.#isDue = true
    this.#announced ??= setTimeout(() => this.#notify(), 0).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#announced)
    await closeDatabase(this.#sql)
  }

  /** Sends one signal for all announcements until now. The next one follows after a pause. */
  #notify(): void {
    this.#announced = undefined
    if (!this.#isDue || this.#isClosed) return
    this.#isDue = false
    this.#announced = setTimeout(() => this.#notify(), ANNOUNCED_MS).unref()
    this.#sql`select pg_notify(${CHANNEL}, '')`.catch((error: unknown) => {
      if (!this.#isClosed) this.#log.debug({ err: error }, "no signal about work reaches other processes")
    })
  }

  async #listen(): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#sql.unsafe(`listen ${CHANNEL}`)
      // Signals of the time before were lost.
      this.signal()
    } catch (error) {
      this.#log.debug({ err: error }, "signals about work cannot be received yet")
      this.#listenLater()
    }
  }

  #listenLater(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#listen(), REOPEN_MS).unref()
  }
}
