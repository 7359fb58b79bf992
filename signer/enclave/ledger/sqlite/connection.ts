import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { guardRead } from "./fault.ts"
import { lockFile, makeFile } from "../files.ts"

/**
 * Opens the database file, and locks the ledger for this process until the connection is closed. The lock is a second
 * file without content: the database itself is shared with the thread that writes long transactions (writer-thread.ts).
 *
 * A write-ahead log needs one sync per transaction, a rollback journal three. A damaged log silently ends at the
 * damage; the witness detects that (witness.ts). Checkpoints are made in log-checkpoint.ts, because SQLite's automatic
 * ones hide their faults. POSIX drops a lock when any descriptor of the file in this process is closed, so nothing else
 * may open the files meanwhile; SQLite keeps account of its own. @throws LedgerInUse, LEDGER_DAMAGED
 */
export function openConnection(file: string): DatabaseSync {
  return open(file, (connection) => {
    if (!existsSync(lockFile(file))) makeFile(lockFile(file))
    connection.prepare("ATTACH ? AS lock").run(lockFile(file))
    for (const pragma of LOCK_PRAGMAS) connection.exec(`PRAGMA lock.${pragma}`)
    connection.exec("BEGIN EXCLUSIVE")
    connection.exec("ROLLBACK")
    if (isEmptyLock(connection)) connection.exec("PRAGMA lock.user_version = 1")
    connection.exec("PRAGMA main.journal_mode = WAL")
    connection.exec("BEGIN IMMEDIATE")
    connection.exec("ROLLBACK")
  })
}

/** A further connection of the process that has the ledger open; the first one may be writing. */
export function openSecondConnection(file: string): DatabaseSync {
  return open(file, () => {})
}

function open(file: string, prepare: (connection: DatabaseSync) => void): DatabaseSync {
  const connection = guardRead(
    () =>
      new DatabaseSync(file, { timeout: 0, allowExtension: false, enableDoubleQuotedStringLiterals: false }),
  )
  try {
    guardRead(() => {
      prepare(connection)
      for (const pragma of PRAGMAS) connection.exec(`PRAGMA ${pragma}`)
    })
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Every transaction locks both files. SQLite would write an empty one's first page within the first transaction, when the log
 * has its commit. A full disk would refuse a durable transaction, and the next one would damage the ledger.
 */
function isEmptyLock(connection: DatabaseSync): boolean {
  return connection.prepare("PRAGMA lock.page_count").get()?.["page_count"] === 0
}

/** The lock's file is locked by the first transaction and until the connection is closed. No journal: nothing is written. */
const LOCK_PRAGMAS = ["locking_mode = EXCLUSIVE", "journal_mode = OFF"]

const PRAGMAS = [
  "main.synchronous = FULL",
  "wal_autocheckpoint = 0",
  "trusted_schema = OFF",
  "main.secure_delete = ON", // what was removed is overwritten, in free pages too
  "cell_size_check = ON",
  "temp_store = MEMORY",
  "main.cache_size = -65536", // 64 MiB of pages
  "cache_spill = OFF", // nothing is written before the commit, so a full disk cannot make a read fail
]
