import type { GroupCommit } from "./group-commit.ts"
import { type LedgerRow, REMOVED, type RowName } from "./ledger.ts"
import { isSecondaryShard } from "./read-change.ts"
import { isDamaged } from "./refusals.ts"
import type { CommittedShards } from "./shards.ts"
import { type ExpiredRow, type LedgerStore, readKind } from "./store.ts"

/**
 * Purges page by page, few shards in one transaction, so other requests wait only briefly. A damaged shard keeps its rows.
 * Ends when an operator sets the time: `nowMs` is no longer the present, and must not raise the floor again.
 */
export async function purgeExpired({ store, group }: Parts, nowMs: number): Promise<number> {
  let after = BEFORE_ALL
  let removed = 0
  const resets = group.timeResets
  while (group.timeResets === resets) {
    const page = await store.rows({ of: "expired", after, untilMs: nowMs, atMost: PAGE_ROWS })
    const last = page.at(-1)
    if (last === undefined || group.timeResets !== resets) return removed
    after = last
    group.advanceTime(nowMs)
    const byShard = [...Map.groupBy(page, (row) => row.shard)]
    for (let from = 0; from < byShard.length; from += SHARDS_PER_TRANSACTION) {
      const batch = byShard.slice(from, from + SHARDS_PER_TRANSACTION)
      const counts = batch.map(([shard, rows]) => removeFrom({ store, group }, shard, rows, nowMs))
      for (const count of await Promise.all(counts)) removed += count
      if (group.timeResets !== resets) break
    }
  }
  return removed
}

/** Removes what is left of deleted organizations. A damaged one keeps its rows. Continues after a restart. */
export async function purgeRemoved(parts: Parts, shards: CommittedShards): Promise<number> {
  let removed = 0
  for (const organizationId of shards.overflowing()) {
    try {
      if (shards.value(organizationId, REMOVED.kind, REMOVED.key) === undefined) continue
      removed += await removeHoldings(parts, shards.holdings(organizationId))
      await removeAll(parts.group, new Map([[organizationId, [REMOVED]]]))
    } catch (error) {
      if (!isDamaged(error)) throw error
    }
  }
  return removed
}

/** Removes an organization's holdings, a few hundred rows in each transaction. */
async function removeHoldings({ store, group }: Parts, left: string[]): Promise<number> {
  let removed = 0
  while (left.length > 0) {
    const batch = new Map<string, RowName[]>()
    let rows = 0
    for (let shard = left.pop(); shard !== undefined; shard = rows < PAGE_ROWS ? left.pop() : undefined) {
      const names = await namesIn(store, shard)
      rows += names.length
      batch.set(shard, names)
    }
    await removeAll(group, batch)
    removed += rows
  }
  return removed
}

async function namesIn(store: LedgerStore, shard: string): Promise<RowName[]> {
  const loaded = await store.load([shard])
  return loaded.flatMap(({ rows }) => rows.map(({ row: { kind, key } }) => ({ kind, key })))
}

async function removeAll(group: GroupCommit, batch: ReadonlyMap<string, readonly RowName[]>): Promise<void> {
  await group.submit(function* (transaction) {
    for (const [shard, names] of batch) {
      yield
      if (names.length > 0) transaction.removeRows(shard, names)
    }
  })
}

const PAGE_ROWS = 500

/** In each shard a few hundred rows may have to be verified and removed. */
const SHARDS_PER_TRANSACTION = 5

type Parts = { store: LedgerStore; group: GroupCommit }

async function removeFrom({ store, group }: Parts, shard: string, rows: ExpiredRow[], nowMs: number) {
  let removed = 0
  try {
    const expired = isSecondaryShard(shard) ? await allExpired(store, shard, nowMs) : rows
    const names = expired.map(nameOf)
    const isExpired = ({ expiresMs }: LedgerRow) => expiresMs !== undefined && expiresMs <= nowMs
    await group.submit((transaction) => {
      removed = transaction.removeRows(shard, names, isExpired)
    })
    return removed
  } catch (error) {
    if (isDamaged(error)) return 0
    throw error
  }
}

/** An index or overflow shard has few rows: all expired rows go at once, so the shard is written once. */
function allExpired(store: LedgerStore, shard: string, untilMs: number): Promise<ExpiredRow[]> {
  return store.rows({ of: "expired", after: BEFORE_ALL, untilMs, shard, atMost: PAGE_ROWS })
}

const BEFORE_ALL = { expiresMs: -1, number: 0 }

const nameOf = ({ kind, key }: ExpiredRow): RowName => ({ kind: readKind(kind), key })
