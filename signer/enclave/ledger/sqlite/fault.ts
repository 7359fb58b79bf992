import { LOCKED_OR_UNREACHABLE, StartError } from "../../../core/settings/start-fault.ts"
import { damaged } from "../refusals.ts"

/** Another process has the ledger open. This happens at start only, so it has no refusal code. */
class LedgerInUse extends StartError {
  constructor(cause: unknown) {
    super(
      LOCKED_OR_UNREACHABLE,
      "another process has this ledger open: a second signer cannot start beside it",
      { cause },
    )
    this.name = "LedgerInUse"
  }
}

/** Runs a read. Statements and schema are fixed, so any other fault of SQLite means damage. */
export function guardRead<T>(operation: () => T): T {
  try {
    return operation()
  } catch (error) {
    if (sqliteCode(error) === SQLITE_BUSY) throw new LedgerInUse(error)
    if (sqliteCode(error) !== undefined || isOutOfRange(error))
      throw damaged("the ledger cannot be read", error)
    throw error
  }
}

/** True if the disk is full: then the write failed as a whole, for SQLite never reports this from a sync. */
export const isDiskFull = (error: unknown): boolean => sqliteCode(error) === SQLITE_FULL

/** Columns are checked against the type they were written with: a flipped byte can turn a blob into a number. */
export function blob(value: unknown, length?: number): Uint8Array {
  if (value instanceof Uint8Array && (length === undefined || value.length === length)) return value
  throw damaged("a column of the ledger does not contain bytes of the expected length")
}

export function text(value: unknown): string {
  if (typeof value === "string") return value
  throw damaged("a column of the ledger does not contain text")
}

export function count(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value
  throw damaged("a column of the ledger does not contain a count")
}

const SQLITE_BUSY = 5
const SQLITE_FULL = 13

/** SQLite's primary result code (the low byte of the extended one); undefined for errors of other origin. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined
  return error.errcode & 0xff
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE"
