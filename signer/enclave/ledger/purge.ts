import { Refusal } from "../../core/refusal.ts"
import { guardRead } from "./fault.ts"
import type { GroupCommit } from "./group-commit.ts"
import type { RowName } from "./ledger.ts"
import { isSecondaryShard } from "./read-change.ts"
import type { CommittedShards } from "./shards.ts"
import { type ExpiredRow, readKind } from "./statements.ts"

/** Purges page by page, few shards in one transaction, so other requests wait only briefly. A damaged shard keeps its rows. */
export async function purgeExpired(shards: CommittedShards, group: GroupCommit, nowMs: number) {
  let after = { expiresMs: -1, number: 0 }
  let removed = 0
  for (;;) {
    const page = guardRead(() => shards.statements.expired(after, nowMs, PAGE_ROWS))
    const last = page.at(-1)
    if (last === undefined) return removed
    after = last
    group.advanceTime(nowMs)
    const byShard = [...Map.groupBy(page, (row) => row.organizationId)]
    for (let from = 0; from < byShard.length; from += SHARDS_PER_TRANSACTION) {
      const batch = byShard.slice(from, from + SHARDS_PER_TRANSACTION)
      const counts = batch.map(([shard, rows]) => removeFrom({ shards, group }, shard, rows, nowMs))
      for (const count of await Promise.all(counts)) removed += count
    }
  }
}

const PAGE_ROWS = 500

/** In each shard a few hundred rows may have to be verified and removed. */
const SHARDS_PER_TRANSACTION = 5

type Parts = { shards: CommittedShards; group: GroupCommit }

async function removeFrom({ shards, group }: Parts, shard: string, rows: ExpiredRow[], nowMs: number) {
  let removed = 0
  try {
    const names = isSecondaryShard(shard) ? allExpired(shards, shard, nowMs) : rows.map(nameOf)
    await group.submit((transaction) => {
      removed = transaction.removeExpired(shard, names, nowMs)
    })
    return removed
  } catch (error) {
    if (error instanceof Refusal && error.code === "LEDGER_DAMAGED") return 0
    throw error
  }
}

/** An index or overflow shard has few rows: all expired rows go at once, so the shard is written once. */
function allExpired({ statements }: CommittedShards, shard: string, nowMs: number): RowName[] {
  return guardRead(() => statements.expiredIn(shard, nowMs, PAGE_ROWS))
}

const nameOf = ({ kind, key }: ExpiredRow): RowName => ({ kind: readKind(kind), key })
