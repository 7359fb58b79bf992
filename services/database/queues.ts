// The worker's queues, over all organizations.
import type { Database } from "./database.ts"

/** Rows that are counted at most: each poll counts them. */
const MAX_COUNTED = 100_000

export type Backlog = { waiting: number; dead: number; oldestMs: number | undefined }

/** Number of pending (also deferred) and dead notifications; creation time of the oldest pending one, Unix ms. */
export async function readBacklog(sql: Database): Promise<Backlog> {
  const [row] = await sql<{ waiting: number; dead: number; oldestMs: bigint | null }[]>`
    select
      (select count(*)::int from (
        select from webhook_deliveries where state in ('WAITING', 'DEFERRED') limit ${MAX_COUNTED}) as waiting) as waiting,
      (select count(*)::int from (
        select from webhook_deliveries where state = 'DEAD' limit ${MAX_COUNTED}) as dead) as dead,
      (select min(coalesce(queued_ms, created_ms)) from webhook_deliveries where state in ('WAITING', 'DEFERRED'))
        as "oldestMs"`
  const { waiting = 0, dead = 0, oldestMs = null } = row ?? {}
  return { waiting, dead, oldestMs: oldestMs === null ? undefined : Number(oldestMs) }
}

/** The transactions of a chain whose end is not known. */
export type OpenTransactions = { chain: string; waiting: number; oldestMs: number }

export async function readOpenTransactions(sql: Database): Promise<OpenTransactions[]> {
  const rows = await sql<{ chain: string; waiting: number; oldestMs: bigint }[]>`
    select chain, count(*)::int as waiting, min(created_ms) as "oldestMs" from (
      select chain, created_ms from sends where status in ('INITIALIZED', 'BROADCASTING') limit ${MAX_COUNTED}
    ) as open group by chain order by chain`
  return rows.map((row) => ({ ...row, oldestMs: Number(row.oldestMs) }))
}
