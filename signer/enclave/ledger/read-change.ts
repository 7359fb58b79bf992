import {
  type LedgerChange,
  type LedgerRow,
  type OrganizationHead,
  ROW_KINDS,
  type RowName,
  type IndexChange,
} from "./ledger.ts"

/**
 * Copies a change, so that what its caller does to it afterwards has no effect, and requires its form.
 * @throws RangeError
 */
export function readChange(change: LedgerChange): LedgerChange {
  requireText(change.organizationId)
  if (isSecondaryShard(change.organizationId)) throw new RangeError("a side book has no document")
  return {
    organizationId: change.organizationId,
    expect: change.expect && readHead(change.expect),
    head: readHead(change.head),
    put: change.put.map(readRow),
    remove: change.remove.map(readName),
    mustBeAbsent: (change.mustBeAbsent ?? []).map(readName),
  }
}

/**
 * As `readChange`, of a side book.
 * @throws RangeError
 */
export function readIndexChange({
  shard: book,
  put,
  update,
  mustBeAbsent,
}: IndexChange): Required<IndexChange> {
  requireText(book)
  if (!isSecondaryShard(book)) throw new RangeError("a side book is named after an organization and a shard")
  return {
    shard: book,
    put: (put ?? []).map(readRow),
    update: (update ?? []).map((row) => ({ ...readName(row), next: row.next })),
    mustBeAbsent: (mustBeAbsent ?? []).map(readName),
  }
}

/** Whether these are rows beside an organization's own. */
export function isSecondaryShard(book: string): boolean {
  return book.includes(SHARD_MARK)
}

export function requireTime(timeMs: number): number {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0)
    throw new RangeError("a time is whole milliseconds from 1970")
  return timeMs
}

function readHead({ version, digest }: OrganizationHead): OrganizationHead {
  if (version < 0n || version > MAX_UINT64) throw new RangeError("a version has 64 bits")
  return { version, digest: new Uint8Array(digest) }
}

function readRow(row: LedgerRow): LedgerRow {
  const named = { ...readName(row), value: new Uint8Array(row.value) }
  return row.expiresMs === undefined ? named : { ...named, expiresMs: requireTime(row.expiresMs) }
}

function readName({ kind, key }: RowName): RowName {
  if (!ROW_KINDS.includes(kind)) throw new RangeError("a row of no known kind")
  requireText(key)
  return { kind, key }
}

/** Text with exactly one encoding in UTF-8; NUL separates names in memory. */
function requireText(value: string): void {
  if (!value.isWellFormed() || value.includes("\0"))
    throw new RangeError("a name in the ledger is not plain text")
}

/** Stands in the name of every side book and of no organization. */
const SHARD_MARK = "#"

const MAX_UINT64 = 2n ** 64n - 1n
