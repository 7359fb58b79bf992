import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { FAULT, LOCKED_OR_UNREACHABLE, StartError } from "../../core/settings/start-fault.ts"

/** Stored as `PRAGMA user_version`; docs/formats/otp.md describes it. */
const FORMAT = 1

const TABLES = [
  `CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL, sum BLOB NOT NULL, mac BLOB NOT NULL) STRICT`,
  `CREATE TABLE entry (kind TEXT NOT NULL, key BLOB NOT NULL, expires_ms INTEGER NOT NULL, value BLOB NOT NULL,
    mac BLOB NOT NULL, PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX entry_by_expiry ON entry (expires_ms)`,
]

/** One sync a transaction; unused pages return to the file system; one process holds the lock for as long as it runs. */
const PRAGMAS = [
  "locking_mode = EXCLUSIVE",
  "auto_vacuum = INCREMENTAL",
  "journal_mode = WAL",
  "synchronous = FULL",
  "trusted_schema = OFF",
  "cell_size_check = ON",
  "temp_store = MEMORY",
]

/**
 * Opens the database of the store, or creates it. A new database has no row in `state`.
 * @throws {StartError} when another process has it open, or it is none of this format
 */
export function openDatabase(file: string): DatabaseSync {
  const isNew = !existsSync(file)
  if (isNew) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(file, {
    timeout: 0,
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
  })
  try {
    for (const pragma of PRAGMAS) database.exec(`PRAGMA ${pragma}`)
    database.exec("BEGIN IMMEDIATE")
    if (isNew) for (const table of TABLES) database.exec(table)
    if (isNew) database.exec(`PRAGMA user_version = ${FORMAT}`)
    database.exec("COMMIT")
    requireFormat(database, file)
    if (isNew) keep(file)
    return database
  } catch (error) {
    database.close()
    if (error instanceof StartError) throw error
    const isLocked = (error as { errcode?: number }).errcode === SQLITE_BUSY
    if (isLocked) throw new StartError(LOCKED_OR_UNREACHABLE, `${file} is in use: another fetcher runs`)
    throw damagedStore(file, (error as Error).message)
  }
}

const SQLITE_BUSY = 5

/** Requires exactly these tables: an added trigger would run in transactions. */
function requireFormat(database: DatabaseSync, file: string): void {
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"]
  const found = database
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all()
    .map(({ sql }) => sql)
  if (version !== FORMAT)
    throw damagedStore(file, `it has format ${String(version)}, this release reads ${FORMAT}`)
  if (found.length !== TABLES.length || !TABLES.every((text) => found.includes(text)))
    throw damagedStore(file, "its tables are not those of its format")
}

/** The file's entry in its directory is durable, and only this user reads it. */
function keep(file: string): void {
  chmodSync(file, 0o600)
  const directory = openSync(dirname(file), "r")
  fsyncSync(directory)
  closeSync(directory)
}

/** The store must not be used. An operator who removes it voids the codes of the last ten minutes, and the counts of a day. */
export function damagedStore(file: string, why: string): StartError {
  const remedy = "restore it, or remove it: codes that were sent are then void, and counts begin anew"
  return new StartError(FAULT, `the store of one-time codes ${file} cannot be used: ${why}; ${remedy}`)
}
