import type { DatabaseSync } from "node:sqlite"
import { isDiskFull } from "./fault.ts"

/** Long enough that a checkpoint's two syncs are rare, short enough to replay fast at start. */
const LOG_BYTES = 4 * 1024 * 1024

/** With a log of this length a checkpoint follows the commit at once. */
const MAX_LOG_BYTES = 64 * 1024 * 1024

/** A checkpoint takes as long as a long commit: requests that waited for the commit are answered in between. */
const PAUSE_MS = 20

type CheckpointParts = {
  connection: DatabaseSync
  /** Called with faults other than a full disk, after which the log stays as it is. */
  onFault: (error: unknown) => void
}

/** Moves the write-ahead log into the database before it grows long. */
export class LogCheckpoint {
  readonly #parts: CheckpointParts
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: CheckpointParts) {
    this.#parts = parts
  }

  /** Counts what a transaction added to the log, after its commit. */
  count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= MAX_LOG_BYTES) this.#run()
    else if (this.#bytes >= LOG_BYTES) this.#runLater()
  }

  /** Ends the wait for a checkpoint: the connection is about to be closed. */
  close(): void {
    clearTimeout(this.#timer)
  }

  #runLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // SQLite makes no checkpoint within a transaction.
      if (this.#parts.connection.isTransaction) this.#runLater()
      else this.#run()
    }, PAUSE_MS)
  }

  #run(): void {
    try {
      this.#parts.connection.exec("PRAGMA wal_checkpoint(PASSIVE)")
      this.#bytes = 0
    } catch (error) {
      if (!isDiskFull(error)) this.#parts.onFault(error)
    }
  }
}
