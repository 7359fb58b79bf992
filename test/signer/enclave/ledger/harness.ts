import { createHash } from "node:crypto"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import type {
  LedgerChange,
  LedgerRow,
  Ledger,
  OrganizationHead,
} from "../../../../signer/enclave/ledger/ledger.ts"
import { type LedgerOptions, openLedger } from "../../../../signer/enclave/ledger/local.ts"

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
