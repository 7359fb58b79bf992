import { DatabaseSync } from "node:sqlite"
import { guardRead } from "./fault.ts"

/**
 * Opens the database file and locks it for this process.
 *
 * A write-ahead log needs one sync per transaction, a rollback journal three. A damaged log silently ends at the
 * damage; the witness detects that (witness.ts). Checkpoints are made in group-commit.ts, because SQLite's automatic
 * ones hide their faults. The lock lasts as long as the connection. POSIX drops it when any descriptor of the file in
 * this process is closed, so nothing else may open the file meanwhile. @throws LedgerInUse, LEDGER_DAMAGED
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
  "cache_spill = OFF", // nothing is written before the commit, so a full disk cannot make a read fail
]
