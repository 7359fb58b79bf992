import type { IndexChange, LedgerChange, LedgerRow, OrganizationHead, RowName } from "./ledger.ts"
import { ROW_KINDS } from "./ledger.ts"

/** Checks the form of a change and copies it, so the caller cannot alter it afterwards. @throws RangeError */
export function readChange(change: LedgerChange): LedgerChange {
  requireText(change.organizationId)
  if (isSecondaryShard(change.organizationId))
    throw new RangeError("an index or overflow shard has no document")
  return {
    organizationId: change.organizationId,
    expect: change.expect && readHead(change.expect),
    head: readHead(change.head),
    put: change.put.map(readRow),
    remove: change.remove.map(readName),
    mustBeAbsent: (change.mustBeAbsent ?? []).map(readName),
    notesSequence: change.notesSequence === true,
  }
}

/** @throws RangeError */
export function readIndexChange(change: IndexChange): Required<IndexChange> {
  const { shard, put = [], update = [], mustBeAbsent = [] } = change
  requireText(shard)
  if (!isSecondaryShard(shard)) throw new RangeError("an index shard is named <organization id>#<shard>")
  return {
    shard,
    put: put.map(readRow),
    update: update.map((row) => ({ ...readName(row), next: row.next })),
    mustBeAbsent: mustBeAbsent.map(readName),
  }
}

/** True if this is an index or overflow shard, not an organization's own. */
export function isSecondaryShard(shard: string): boolean {
  return shard.includes(SHARD_MARK)
}

export function requireTime(timeMs: number): number {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0)
    throw new RangeError("a time is whole milliseconds from 1970")
  return timeMs
}

export function requireCount(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError("a count is a whole number")
  return count
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
  if (!ROW_KINDS.includes(kind)) throw new RangeError("the kind of a row is unknown")
  requireText(key)
  return { kind, key }
}

/** Requires text with exactly one encoding in UTF-8; NUL separates names in memory. */
function requireText(value: string): void {
  if (!value.isWellFormed() || value.includes("\0"))
    throw new RangeError("a name in the ledger must be well-formed Unicode without NUL")
}

/** Part of the name of every index and overflow shard, and of no organization id. */
const SHARD_MARK = "#"

const MAX_UINT64 = 2n ** 64n - 1n
