import { existsSync } from "node:fs"
import { refuse } from "../../core/refusal.ts"
import { runAtOnce } from "../../core/turns/steps.ts"
import { openConnection } from "./connection.ts"
import { createIdentity } from "./deployment.ts"
import { guardRead } from "./fault.ts"
import type { LedgerFiles } from "./files.ts"
import { ledgerFiles, makeDirectory, makeFile, removeFiles, syncDirectory } from "./files.ts"
import { DEPLOYMENT } from "./ledger.ts"
import type { DeploymentState } from "./mac.ts"
import { createSchema } from "./schema.ts"
import { CommittedShards, SHARD_LIMITS } from "./shards.ts"
import { Statements } from "./statements.ts"
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
    const shards = new CommittedShards(statements, authenticator, EMPTY_DEPLOYMENT, SHARD_LIMITS)
    const transaction = new WriteTransaction(shards, EMPTY_DEPLOYMENT)
    const head = { version: 0n, digest: new Uint8Array(32) }
    const change = { organizationId: DEPLOYMENT, expect: undefined, head, put: [], remove: [] }
    runAtOnce(transaction.applyChange(change))
    runAtOnce(transaction.finish())
    for (const write of transaction.writes()) execute(write, statements)
    connection.exec("COMMIT")
    const witness = new Witness(files.witness, "wx", authenticator)
    witness.write(transaction.deployment.sequence)
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

const EMPTY_DEPLOYMENT: DeploymentState = {
  sequence: 0n,
  floorMs: 0,
  quietUntilMs: 0,
  organizations: 0,
  sum: 0n,
}

/** The ledger's creation is its first transaction; a ledger that was used has more. */
function wasUsed({ database }: LedgerFiles): boolean {
  const connection = openConnection(database)
  try {
    return guardRead(() => {
      const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE name = 'deployment'").all()
      if (tables.length === 0) return false
      const sequence = new Statements(connection).deployment()?.sequence
      return sequence !== undefined && sequence > 1n
    })
  } finally {
    connection.close()
  }
}
