import { existsSync } from "node:fs"
import { refuse } from "../../core/refusal.ts"
import { CommittedShards, SHARD_LIMITS } from "./shards.ts"
import { openConnection } from "./connection.ts"
import { guardRead } from "./fault.ts"
import {
  type LedgerFiles,
  ledgerFiles,
  makeDirectory,
  makeFile,
  removeFiles,
  syncDirectory,
} from "./files.ts"
import { makeIdentity } from "./identity.ts"
import { DEPLOYMENT } from "./ledger.ts"
import type { DeploymentState } from "./mac.ts"
import { WriteTransaction } from "./write-transaction.ts"
import { createSchema } from "./schema.ts"
import { Statements } from "./statements.ts"
import { Witness } from "./witness.ts"

export type LedgerLocation = {
  directory: string
  /** 32 bytes, a branch of the root seed used for nothing else. */
  key: Uint8Array
}

/**
 * Makes an empty ledger, durable when this returns. The caller makes the ledger first and stores the root seed
 * last: a ledger found without a root seed was never born, see `removeUnborn`.
 * @throws LEDGER_FOREIGN when a ledger is here already
 */
export function createLedger({ directory, key }: LedgerLocation): void {
  const files = ledgerFiles(directory)
  makeDirectory(directory)
  if (existsSync(files.database) || existsSync(files.witness))
    throw refuse("LEDGER_FOREIGN", "a ledger is here already")
  makeFile(files.database)
  const connection = openConnection(files.database)
  try {
    connection.exec("BEGIN IMMEDIATE")
    createSchema(connection)
    const authenticator = makeIdentity(connection, key)
    const books = new CommittedShards(
      new Statements(connection),
      authenticator,
      EMPTY_DEPLOYMENT,
      SHARD_LIMITS,
    )
    const posting = new WriteTransaction(books, EMPTY_DEPLOYMENT)
    const head = { version: 0n, digest: new Uint8Array(32) }
    posting.applyChange({ organizationId: DEPLOYMENT, expect: undefined, head, put: [], remove: [] })
    posting.finish()
    connection.exec("COMMIT")
    const witness = new Witness(files.witness, "wx", authenticator)
    witness.write(posting.deployment.sequence)
    witness.close()
  } finally {
    connection.close()
  }
  syncDirectory(directory)
}

/**
 * Removes what an interrupted setup left behind, whatever its state; nothing there is no fault. To be called only
 * where no root seed is stored.
 * @throws LEDGER_FOREIGN when the ledger has served: then the root seed is what is missing
 * @throws LEDGER_DAMAGED when the file is no database; LedgerInUse
 */
export function removeIncompleteLedger(directory: string): void {
  const files = ledgerFiles(directory)
  if (existsSync(files.database) && hasServed(files)) {
    throw refuse("LEDGER_FOREIGN", "this ledger has served and its root seed is not here")
  }
  removeFiles(files)
}

const EMPTY_DEPLOYMENT: DeploymentState = {
  sequence: 0n,
  floorMs: 0,
  quietUntilMs: 0,
  organizations: 0,
  sum: 0n,
}

/** The transaction of its creation is the ledger's first; a ledger that served has more. */
function hasServed({ database }: LedgerFiles): boolean {
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
