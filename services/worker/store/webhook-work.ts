import type { Database } from "../../database/database.ts"

/**
 * The time from which a worker has something to do for webhooks, milliseconds: `nowMs` if there is something already, undefined if
 * nothing waits. One statement of probes, for the time without work: each part of a poll has statements of its own.
 */
export async function nextWebhookWork(sql: Database, nowMs: number): Promise<number | undefined> {
  const [row] = await sql<{ isDue: boolean; nextMs: bigint | null }[]>`
    select exists (select from webhook_wakes) or exists (select from webhook_redeliveries)
        or exists (select from webhook_deliveries where state = 'DEFERRED' and not unsigned)
        or exists (select from webhook_endings where due_ms <= ${nowMs}) as "isDue",
      (select due_ms from webhook_families order by due_ms limit 1) as "nextMs"`
  if (row === undefined || row.isDue) return nowMs
  return row.nextMs === null ? undefined : Math.max(nowMs, Number(row.nextMs))
}
