import { createHash } from "node:crypto"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import type {
  LedgerChange,
  LedgerRow,
  Ledger,
  OrganizationHead,
} from "../../../../signer/enclave/ledger/ledger.ts"
import { type LedgerOptions, openLedger, serveLedger } from "../../../../signer/enclave/ledger/local.ts"
import type { ShardLimits } from "../../../../signer/enclave/ledger/shards.ts"

export const KEY = new Uint8Array(32).fill(7)

/** A `terminate` that fails the test. */
export function neverTerminate(error: unknown): never {
  throw new Error("the ledger ended the process", { cause: error })
}

export function open(directory: string, options: Partial<LedgerOptions> = {}): Ledger {
  return openLedger({ directory, key: KEY, terminate: neverTerminate, ...options })
}

export function create(directory: string, options: Partial<LedgerOptions> = {}): Ledger {
  createLedger({ directory, key: options.key ?? KEY })
  return open(directory, options)
}

/** A new ledger over a connection in which the test injects faults. */
export function serve(
  directory: string,
  terminate: (error: unknown) => void,
  limits: Partial<ShardLimits> = {},
) {
  createLedger({ directory, key: KEY })
  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  return { connection, ledger: serveLedger(connection, files, { directory, key: KEY, terminate, limits }) }
}

/** Fails a statement of the connection as SQLite does. */
export function failAt(connection: DatabaseSync, statement: string, errcode: number): void {
  const exec = connection.exec.bind(connection)
  connection.exec = (sql) => {
    if (sql.startsWith(statement)) throw Object.assign(new Error("disk I/O error"), { errcode })
    exec(sql)
  }
}

/** Polls of a state, one millisecond at least after another: half a minute. */
const MAX_POLLS = 30_000

/** Waits for a state. @throws Error when it does not come */
export async function until(condition: () => boolean): Promise<void> {
  for (let polls = 0; !condition(); polls++) {
    if (polls === MAX_POLLS) throw new Error("the state did not come")
    await setTimeout(1)
  }
}

/** The next turn of the event loop. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

export const head = (version: number): OrganizationHead => ({
  version: BigInt(version),
  digest: new Uint8Array(createHash("sha256").update(`document ${version}`).digest()),
})

export const creation = (organizationId: string, put: LedgerRow[] = []): LedgerChange => ({
  organizationId,
  expect: undefined,
  head: head(1),
  put,
  remove: [],
})

/** A change of rows only; the head stays at version 1 unless `change` names another. */
export const update = (organizationId: string, change: Partial<LedgerChange>): LedgerChange => ({
  organizationId,
  expect: head(1),
  head: head(1),
  put: [],
  remove: [],
  ...change,
})

export const databaseOf = (directory: string): string => join(directory, "ledger.sqlite")

/** Edits the file of a closed ledger. */
export function tamper(directory: string, edit: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(databaseOf(directory))
  edit(database)
  database.close()
}

export function copy(from: string, to: string): string {
  cpSync(from, to, { recursive: true })
  return to
}

/** The refusal's code, or the name of another error. */
export function codeOf(operation: () => unknown): string {
  try {
    operation()
    return "none"
  } catch (error) {
    return codeOfError(error)
  }
}

export function codeOfError(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code
  return error instanceof Error ? error.name : "unknown"
}
