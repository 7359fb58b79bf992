import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { carryOver, type CarryOverOptions, installWitness } from "./carry-over/carry-over.ts"
import type { LedgerLocation } from "./create-ledger.ts"
import { type LedgerFiles, ledgerFiles } from "./files.ts"
import type { Ledger } from "./ledger.ts"
import { openConnection } from "./sqlite/connection.ts"
import { LongWriter } from "./sqlite/long-writer.ts"
import { isEarlierFormat } from "./sqlite/schema.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { ledgerOver, type LedgerOverOptions } from "./over-store.ts"

export type LedgerOptions = LedgerLocation & CarryOverOptions & Omit<LedgerOverOptions, "witness">

/**
 * Opens the local ledger; carries one of format 2 over.
 * @throws LEDGER_MISSING, LEDGER_FOREIGN, LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED, LEDGER_FULL, LedgerInUse
 */
export function openLedger(options: LedgerOptions): Ledger {
  const files = ledgerFiles(options.directory)
  if (!existsSync(files.database)) throw refuse("LEDGER_MISSING", "the ledger's directory contains no ledger")
  const connection = openConnection(files.database)
  try {
    if (isEarlierFormat(connection)) carryOver(connection, files, options)
    else installWitness(files)
    return serveLedger(connection, files, options)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** `openLedger` over an open connection, which the ledger closes. */
export function serveLedger(
  connection: DatabaseSync,
  files: LedgerFiles,
  options: LedgerOptions,
  longWriter = new LongWriter(files.database),
): Ledger {
  const store = new SqliteStore({ connection, longWriter })
  return ledgerOver(store, store.begin(), { ...options, witness: files.witness })
}
