import { Refusal, refuse } from "../../core/refusal.ts"

/**
 * Another process (or another part of this one) has the ledger open. A fault of installation, met only at
 * start, hence no refusal code.
 */
export class LedgerInUse extends Error {
  constructor(cause: unknown) {
    super("another process has this ledger open", { cause })
    this.name = "LedgerInUse"
  }
}

export function damaged(sentence: string, cause?: unknown): Refusal {
  return refuse("LEDGER_DAMAGED", sentence, cause === undefined ? {} : { cause })
}

/** Runs a read; whatever SQLite cannot read is damage, for our statements and schema are fixed. */
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

/** A full disk refuses the write as a whole: SQLite never reports it from a sync. */
export const isDiskFull = (error: unknown): boolean => sqliteCode(error) === SQLITE_FULL

/** Columns are read by the type they were written with: a flipped byte can turn a blob into a number. */
export function blob(value: unknown, length?: number): Uint8Array {
  if (value instanceof Uint8Array && (length === undefined || value.length === length)) return value
  throw damaged("a column of the ledger is not bytes of its length")
}

export function text(value: unknown): string {
  if (typeof value === "string") return value
  throw damaged("a column of the ledger is not text")
}

export function count(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value
  throw damaged("a column of the ledger is not a count")
}

const SQLITE_BUSY = 5
const SQLITE_FULL = 13

/** Primary result code (the low byte of the extended one); undefined: not an error of SQLite. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined
  return error.errcode & 0xff
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE"
