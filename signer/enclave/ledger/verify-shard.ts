import type { Steps } from "../../core/turns/steps.ts"
import { requireNotAfter } from "./lanes.ts"
import { add, type LedgerMac, type ShardContent, isSame } from "./mac.ts"
import { damaged } from "./refusals.ts"
import type { StoredRow, StoredShard } from "./store.ts"

/** A shard whose MACs were checked. `sum`: of its rows' elements; `element`: its part of the lane's sum. */
export type VerifiedShard = ShardContent & { element: bigint }

/** Rows verified between two pauses: a fifth of a millisecond. */
const ROWS_PER_STEP = 20

/**
 * Verifies all rows of a shard, as they were read. Requires strict order too: a search in an unordered index could miss a
 * row. @throws LEDGER_DAMAGED
 */
export function* verifyRows(
  shard: string,
  { head, term, mac }: StoredShard,
  rows: readonly StoredRow[],
  authenticator: LedgerMac,
): Steps<VerifiedShard> {
  let sum = 0n
  let previous = Buffer.alloc(0)
  for (const [index, each] of rows.entries()) {
    const name = Buffer.from(`${each.row.kind}\0${each.row.key}`)
    if (Buffer.compare(previous, name) >= 0) throw damaged("the ledger's index is out of order")
    previous = name
    requireNotAfter(each.term, term)
    sum = add(sum, verifyRow(shard, each, authenticator))
    if (index % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield
  }
  const content = { head, rowCount: rows.length, sum }
  const expected = authenticator.shardMac(term, shard, content)
  if (!isSame(expected, mac)) throw damaged("the rows of an organization are not those that were written")
  return { ...content, element: authenticator.shardElement(term, shard, mac) }
}

/** Checks the MAC of one row and returns the row's element. @throws LEDGER_DAMAGED */
export function verifyRow(shard: string, { row, term, mac }: StoredRow, authenticator: LedgerMac): bigint {
  const expected = authenticator.row(term, shard, row)
  if (!isSame(expected.mac, mac)) throw damaged("a row of the ledger was altered")
  return expected.element
}
