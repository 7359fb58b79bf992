import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../../core/refusal.ts"
import { damaged } from "../refusals.ts"
import { FORMAT } from "../store.ts"
import { guardRead } from "./fault.ts"

/** `user_version` of a database that was given none. */
const NO_FORMAT = 0

/** The format before, which is carried over when it is opened (carry-over.ts). */
export const EARLIER_FORMAT = 2

/** The tables, exactly as SQLite stores their text. `entry` has a separate index: with values in it, its tree would be deep. */
const STATEMENTS = [
  `CREATE TABLE ledger (id INTEGER PRIMARY KEY CHECK (id = 1), identity BLOB NOT NULL, seal BLOB NOT NULL) STRICT`,
  `CREATE TABLE lane (number INTEGER PRIMARY KEY, fence INTEGER NOT NULL, epoch INTEGER NOT NULL,
    sequence BLOB NOT NULL, floor_ms INTEGER NOT NULL, quiet_until_ms INTEGER NOT NULL, mac BLOB NOT NULL) STRICT`,
  `CREATE TABLE organization (id TEXT PRIMARY KEY, lane INTEGER NOT NULL, fence INTEGER NOT NULL,
    epoch INTEGER NOT NULL, version BLOB NOT NULL, digest BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE entry (number INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, kind TEXT NOT NULL,
    key TEXT NOT NULL, expires_ms INTEGER, fence INTEGER NOT NULL, epoch INTEGER NOT NULL, value BLOB NOT NULL,
    mac BLOB NOT NULL) STRICT`,
  `CREATE UNIQUE INDEX entry_in_shard ON entry (organization_id, kind, key)`,
  `CREATE INDEX entry_expiring ON entry (expires_ms) WHERE expires_ms IS NOT NULL`,
]

/** The tables of format 2, in the same form. */
const EARLIER_STATEMENTS = [
  `CREATE TABLE ledger (id INTEGER PRIMARY KEY CHECK (id = 1), identity BLOB NOT NULL, seal BLOB NOT NULL) STRICT`,
  `CREATE TABLE deployment (id INTEGER PRIMARY KEY CHECK (id = 1), sequence BLOB NOT NULL,
    floor_ms INTEGER NOT NULL, quiet_until_ms INTEGER NOT NULL, mac BLOB NOT NULL) STRICT`,
  `CREATE TABLE organization (id TEXT PRIMARY KEY, version BLOB NOT NULL, digest BLOB NOT NULL,
    mac BLOB NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE entry (number INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, kind TEXT NOT NULL,
    key TEXT NOT NULL, expires_ms INTEGER, value BLOB NOT NULL, mac BLOB NOT NULL) STRICT`,
  `CREATE UNIQUE INDEX entry_by_name ON entry (organization_id, kind, key)`,
  `CREATE INDEX entry_by_expiry ON entry (expires_ms) WHERE expires_ms IS NOT NULL`,
]

export function createSchema(connection: DatabaseSync): void {
  for (const statement of STATEMENTS) connection.exec(statement)
  connection.exec(`PRAGMA user_version = ${FORMAT}`)
}

/**
 * Replaces the tables of format 2 within a transaction: `copy` fills the new ones from those that have a name with the
 * format's number meanwhile. The indexes of both formats have different names, because an index keeps its name.
 */
export function replaceEarlierTables(connection: DatabaseSync, copy: () => void): void {
  for (const table of REPLACED) connection.exec(`ALTER TABLE ${table} RENAME TO ${earlierTable(table)}`)
  for (const statement of STATEMENTS.slice(1)) connection.exec(statement)
  copy()
  for (const table of [...REPLACED].map(earlierTable)) connection.exec(`DROP TABLE ${table}`)
  connection.exec(`DROP TABLE deployment; PRAGMA user_version = ${FORMAT}`)
}

export const earlierTable = (table: "organization" | "entry"): string => `${table}_${EARLIER_FORMAT}`

const REPLACED = ["organization", "entry"] as const

export function isEarlierFormat(connection: DatabaseSync): boolean {
  return formatOf(connection) === EARLIER_FORMAT
}

function formatOf(connection: DatabaseSync): unknown {
  return guardRead(() => connection.prepare("PRAGMA user_version").get())?.["user_version"]
}

/** Requires exactly these tables: an added trigger would run in transactions. @throws LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED */
export function requireSchema(connection: DatabaseSync): void {
  const version = formatOf(connection)
  if (version !== FORMAT && version !== NO_FORMAT) throw otherFormat(version)
  requireTables(connection, STATEMENTS)
  if (version === NO_FORMAT) throw otherTables()
}

/** As `requireSchema`, of format 2. @throws LEDGER_DAMAGED */
export function requireEarlierSchema(connection: DatabaseSync): void {
  requireTables(connection, EARLIER_STATEMENTS)
}

function requireTables(connection: DatabaseSync, statements: readonly string[]): void {
  const found = guardRead(() => connection.prepare("SELECT sql FROM sqlite_schema").all()).map(
    (row) => row["sql"],
  )
  const isSame = found.length === statements.length && statements.every((text) => found.includes(text))
  if (!isSame) throw otherTables()
}

const otherTables = () => damaged("the ledger's tables are not those of its format")

function otherFormat(version: unknown) {
  const sentence = `the ledger has format ${String(version)}; this release reads format ${FORMAT} only`
  return refuse("LEDGER_FORMAT_UNKNOWN", sentence)
}
