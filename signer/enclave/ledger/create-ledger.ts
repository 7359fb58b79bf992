import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { refuse } from "../../core/refusal.ts"
import { runAtOnce } from "../../core/turns/steps.ts"
import { ledgerFiles, makeDirectory, makeFile, removeFiles, syncDirectory } from "./files.ts"
import { emptyState } from "./lanes.ts"
import { DEPLOYMENT } from "./ledger.ts"
import { LedgerMac } from "./mac.ts"
import { CommittedShards, SHARD_LIMITS } from "./shards.ts"
import { createDatabase, sequencesIn } from "./sqlite/database.ts"
import { FORMAT, type NewLedger, type StoredReads } from "./store.ts"
import { Witness } from "./witness.ts"
import { NO_DOCUMENT, WriteTransaction } from "./write-transaction.ts"

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
  const content = newLedger(key)
  createDatabase(files.database, content)
  const witness = new Witness(files.witness, "wx", new LedgerMac(key, content.identity))
  witness.write(content.lanes)
  witness.close()
  syncDirectory(directory)
}

/**
 * The content of a new ledger in any store: every lane and the deployment's own shard. All MACs cover the identity, 32 random
 * bytes: rows of two ledgers with one root seed cannot be exchanged.
 */
export function newLedger(key: Uint8Array): NewLedger {
  const authenticator = new LedgerMac(key, randomBytes(32))
  const state = emptyState()
  const transaction = new WriteTransaction(
    new CommittedShards(NOTHING_STORED, authenticator, state, SHARD_LIMITS),
    state,
  )
  transaction.setTimes(state.floorMs, state.quietUntilMs)
  const change = { organizationId: DEPLOYMENT, expect: undefined, head: NO_DOCUMENT, put: [], remove: [] }
  runAtOnce(transaction.applyChange(change))
  runAtOnce(transaction.finish())
  const { identity } = authenticator
  const [lanes, changes] = [transaction.storedLanes(), [...transaction.changes()]]
  return { identity, seal: authenticator.sealIdentity(FORMAT), lanes, changes }
}

/** The store before the first transaction. */
const NOTHING_STORED: StoredReads = {
  shard: () => undefined,
  row: () => undefined,
  rowsIn: () => [],
  page: () => [],
  organizationStates: () => [],
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
  // The ledger's creation is its first transaction; a ledger that was used has more.
  if (existsSync(files.database) && sequencesIn(files.database).some((sequence) => sequence > 1n)) {
    throw refuse(
      "LEDGER_FOREIGN",
      "this ledger was in use and its root seed is missing; restore the root seed",
    )
  }
}
