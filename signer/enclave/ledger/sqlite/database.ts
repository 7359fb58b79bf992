import type { NewLedger } from "../store.ts"
import { openConnection } from "./connection.ts"
import { guardRead, text } from "./fault.ts"
import { createSchema } from "./schema.ts"
import { readUint64, Statements } from "./statements.ts"
import { executeAll } from "./writes.ts"

/** Writes a new ledger to an empty database file; durable on return. */
export function createDatabase(file: string, { identity, seal, lanes, changes }: NewLedger): void {
  const connection = openConnection(file)
  try {
    connection.exec("BEGIN IMMEDIATE")
    createSchema(connection)
    const statements = new Statements(connection)
    statements.putIdentity(identity, seal)
    executeAll(changes, statements)
    for (const lane of lanes) statements.putLane(lane)
    connection.exec("COMMIT")
  } finally {
    connection.close()
  }
}

/** The sequences of a ledger of this format or of the one before; none of a creation that was interrupted. @throws LedgerInUse, LEDGER_DAMAGED */
export function sequencesIn(file: string): bigint[] {
  const connection = openConnection(file)
  try {
    return guardRead(() => {
      const sql = "SELECT name FROM sqlite_schema WHERE name IN ('lane', 'deployment') AND type = 'table'"
      const table = connection.prepare(sql).get()?.["name"]
      if (table === undefined) return []
      // Format 2 had one row, in the table of the other name.
      const rows = connection.prepare(`SELECT sequence FROM ${text(table)}`).all()
      return rows.map((row) => readUint64(row["sequence"]))
    })
  } finally {
    connection.close()
  }
}
