import type { DatabaseSync } from "node:sqlite"
import { isDiskFull } from "./fault.ts"
import type { LongWriter } from "./long-writer.ts"

/** Long enough that a checkpoint's two syncs are rare, short enough to replay fast at start. */
const LOG_BYTES = 4 * 1024 * 1024

/** A log of this length grows faster than the thread moves it. */
const MAX_LOG_BYTES = 64 * 1024 * 1024

type CheckpointParts = {
  connection: DatabaseSync
  longWriter: Pick<LongWriter, "checkpoint">
  /** Called with faults other than a full disk, after which the log stays as it is. */
  onFault: (error: unknown) => void
}

/** Moves the write-ahead log into the database before it grows long. A thread does it, and no commit waits. */
export class LogCheckpoint {
  readonly #parts: CheckpointParts
  /** Bytes in the log, approximately. */
  #bytes = 0
  #running: Promise<void> | undefined

  constructor(parts: CheckpointParts) {
    this.#parts = parts
  }

  /** Counts what a transaction added to the log, after its commit. */
  count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= MAX_LOG_BYTES) this.#guard(() => this.#moveRest())
    else if (this.#bytes >= LOG_BYTES) this.#running ??= this.#move()
  }

  /** Resolves when no checkpoint is being made. */
  async end(): Promise<void> {
    await this.#running
  }

  async #move(): Promise<void> {
    const bytes = this.#bytes
    try {
      await this.#parts.longWriter.checkpoint()
      this.#bytes -= bytes
      this.#moveRest()
    } catch (error) {
      this.#report(error)
    } finally {
      this.#running = undefined
    }
  }

  /** Moves the pages that were written meanwhile: the log restarts only when it is empty. */
  #moveRest(): void {
    const { connection } = this.#parts
    // SQLite makes no checkpoint within a transaction.
    if (this.#bytes === 0 || connection.isTransaction) return
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)")
    this.#bytes = 0
  }

  #guard(move: () => void): void {
    try {
      move()
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    if (!isDiskFull(error)) this.#parts.onFault(error)
  }
}
