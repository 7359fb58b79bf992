import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { damaged, guardRead } from "./fault.ts"

/** Stored as `PRAGMA user_version`; docs/formats/ledger.md describes it. */
export const FORMAT = 2

/** `user_version` of a database that was given none. */
const NO_FORMAT = 0

/** The tables, exactly as SQLite stores their text. `entry` has a separate index: with values in it, its tree would be deep. */
const STATEMENTS = [
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

/** Requires exactly these tables: an added trigger would run in transactions. @throws LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED */
export function requireSchema(connection: DatabaseSync): void {
  const version = guardRead(() => connection.prepare("PRAGMA user_version").get())?.["user_version"]
  if (version !== FORMAT && version !== NO_FORMAT) throw otherFormat(version)
  const found = guardRead(() => connection.prepare("SELECT sql FROM sqlite_schema").all()).map(
    (row) => row["sql"],
  )
  const isSame = found.length === STATEMENTS.length && STATEMENTS.every((text) => found.includes(text))
  if (!isSame || version === NO_FORMAT) throw damaged("the ledger's tables are not those of its format")
}

function otherFormat(version: unknown) {
  const sentence = `the ledger has format ${String(version)}; this release reads format ${FORMAT} only`
  return refuse("LEDGER_FORMAT_UNKNOWN", sentence)
}
