import { existsSync } from "node:fs"
import { refuse } from "../../core/refusal.ts"
import { runAtOnce } from "../../core/turns/steps.ts"
import { openConnection } from "./connection.ts"
import { createIdentity } from "./deployment.ts"
import { guardRead, text } from "./fault.ts"
import type { LedgerFiles } from "./files.ts"
import { ledgerFiles, makeDirectory, makeFile, removeFiles, syncDirectory } from "./files.ts"
import { emptyState } from "./lanes.ts"
import { DEPLOYMENT } from "./ledger.ts"
import { createSchema } from "./schema.ts"
import { CommittedShards, SHARD_LIMITS } from "./shards.ts"
import { readUint64, Statements } from "./statements.ts"
import { Witness } from "./witness.ts"
import { WriteTransaction } from "./write-transaction.ts"
import { execute } from "./writes.ts"

export type LedgerLocation = {
  directory: string
  /** 32 bytes, a branch of the root seed used for nothing else. */
  key: Uint8Array
}

/** Creates an empty ledger, durable on return; the root seed is stored after it. @throws LEDGER_FOREIGN where one exists */
export function createLedger({ directory, key }: LedgerLocation): void {
  const files = ledgerFiles(directory)
  makeDirectory(directory)
  if (existsSync(files.database) || existsSync(files.witness))
    throw refuse("LEDGER_FOREIGN", "the ledger's directory already contains a ledger")
  makeFile(files.database)
  const connection = openConnection(files.database)
  try {
    connection.exec("BEGIN IMMEDIATE")
    createSchema(connection)
    const authenticator = createIdentity(connection, key)
    const statements = new Statements(connection)
    const state = emptyState()
    const shards = new CommittedShards(statements, authenticator, state, SHARD_LIMITS)
    const transaction = new WriteTransaction(shards, state)
    transaction.setTimes(state.floorMs, state.quietUntilMs)
    const head = { version: 0n, digest: new Uint8Array(32) }
    const change = { organizationId: DEPLOYMENT, expect: undefined, head, put: [], remove: [] }
    runAtOnce(transaction.applyChange(change))
    runAtOnce(transaction.finish())
    for (const write of transaction.writes()) execute(write, statements)
    connection.exec("COMMIT")
    const witness = new Witness(files.witness, "wx", authenticator)
    witness.write(transaction.changedLanes())
    witness.close()
  } finally {
    connection.close()
  }
  syncDirectory(directory)
}

/**
 * Removes the ledger of an interrupted setup, whatever its state; does nothing where there is none. Call it only where
 * no root seed is stored.
 * @throws LEDGER_FOREIGN when the ledger was used: then the root seed is lost; LEDGER_DAMAGED, LedgerInUse
 */
export function removeIncompleteLedger(directory: string): void {
  requireUnusedLedger(directory)
  removeFiles(ledgerFiles(directory))
}

/** @throws LEDGER_FOREIGN when the ledger was used; LEDGER_DAMAGED, LedgerInUse */
export function requireUnusedLedger(directory: string): void {
  const files = ledgerFiles(directory)
  if (existsSync(files.database) && wasUsed(files)) {
    throw refuse(
      "LEDGER_FOREIGN",
      "this ledger was in use and its root seed is missing; restore the root seed",
    )
  }
}

/** The ledger's creation is its first transaction; a ledger that was used has more. */
function wasUsed({ database }: LedgerFiles): boolean {
  const connection = openConnection(database)
  try {
    return guardRead(() => {
      const sql = "SELECT name FROM sqlite_schema WHERE name IN ('lane', 'deployment') AND type = 'table'"
      const table = connection.prepare(sql).get()?.["name"]
      if (table === undefined) return false
      // Format 2 had one row, in the table of the other name.
      const rows = connection.prepare(`SELECT sequence FROM ${text(table)}`).all()
      return rows.some((row) => readUint64(row["sequence"]) > 1n)
    })
  } finally {
    connection.close()
  }
}
