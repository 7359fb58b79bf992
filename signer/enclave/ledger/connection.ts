import { DatabaseSync } from "node:sqlite"
import { guardRead } from "./fault.ts"

/**
 * Opens the file and takes it for this process alone.
 *
 * Write-ahead log with a sync at each commit: one sync per transaction where a rollback journal needs three, and
 * a commit appends where the journal rewrites. Its weakness, that a damaged log silently ends at the damage,
 * is what the witness is for. Checkpoints are ours (group-commit.ts), because SQLite's own swallow their faults.
 * The lock is on the file itself and lasts as long as the connection: no process may open and close the file by
 * other means meanwhile, POSIX would drop the lock.
 * @throws LedgerInUse, LEDGER_DAMAGED
 */
export function openConnection(file: string): DatabaseSync {
  const connection = guardRead(
    () =>
      new DatabaseSync(file, { timeout: 0, allowExtension: false, enableDoubleQuotedStringLiterals: false }),
  )
  try {
    guardRead(() => {
      for (const pragma of PRAGMAS) connection.exec(`PRAGMA ${pragma}`)
      connection.exec("BEGIN IMMEDIATE")
      connection.exec("ROLLBACK")
    })
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

const PRAGMAS = [
  "locking_mode = EXCLUSIVE",
  "journal_mode = WAL",
  "synchronous = FULL",
  "wal_autocheckpoint = 0",
  "trusted_schema = OFF",
  "cell_size_check = ON",
  "temp_store = MEMORY",
  "cache_size = -65536", // 64 MiB of pages
  "cache_spill = OFF", // nothing is written before the commit, so that a read cannot fail for a full disk
]
