// The files of a database's part, as docs/formats/backup.md names them.
import type { Migration } from "../store/migrate.ts"

/** `database.json`, the first file. */
export type DatabaseHead = {
  deploymentId: string
  migrations: readonly Migration[]
  tables: readonly { name: string; columns: readonly string[] }[]
}

/** `rows.json`, after the tables. */
export type DatabaseEnd = {
  /** Rows by table. */
  rows: { readonly [table: string]: number }
  sequences: { readonly [sequence: string]: { value: string; isCalled: boolean } }
}

export const HEAD_FILE = "database.json"
export const END_FILE = "rows.json"
export const EXPORTS = "exports"

/** Bytes of a table's rows in one file at most. */
export const PIECE_BYTES = 8 * 1024 * 1024

/** Name of a piece of a table. */
export const pieceName = (table: string, number: number): string =>
  `tables/${table}/${String(number).padStart(8, "0")}`
