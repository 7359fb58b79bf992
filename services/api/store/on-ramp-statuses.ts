import { type OnRampStatus, readOnRampStatus } from "../../../signer/core/on-ramp/status.ts"
import type { Queries } from "../../database/database.ts"

type Purchase = { organizationId: string; id: string }

/** The status that the provider reported last; undefined: it was not asked yet. */
export async function getOnRampStatus(
  sql: Queries,
  { organizationId, id }: Purchase,
): Promise<OnRampStatus | undefined> {
  const [row] = await sql<{ status: string }[]>`
    select status from on_ramp_statuses where organization_id = ${organizationId} and id = ${id}`
  return row && readOnRampStatus(row.status)
}

/** Least time between two requests to a provider about one purchase. */
const REFRESH_INTERVAL_MS = 2_000

/** Notes that the provider is asked now. False: it was asked a moment ago, or has reported a final status. */
export async function beginRefresh(
  sql: Queries,
  { organizationId, id }: Purchase,
  nowMs: number,
): Promise<boolean> {
  // A time in the future is of another host's clock.
  const rows = await sql`
    insert into on_ramp_statuses (organization_id, id, status, updated_ms)
    values (${organizationId}, ${id}, 'PENDING', ${nowMs})
    on conflict (organization_id, id) do update set updated_ms = excluded.updated_ms
    where on_ramp_statuses.status = 'PENDING'
      and on_ramp_statuses.updated_ms not between ${nowMs - REFRESH_INTERVAL_MS + 1} and ${nowMs}
    returning id`
  return rows.length > 0
}

/** Stores a newer status, and returns the one that is stored: a final one stays. */
export async function storeOnRampStatus(
  sql: Queries,
  { organizationId, id }: Purchase,
  status: OnRampStatus,
  nowMs: number,
): Promise<OnRampStatus> {
  await sql`
    insert into on_ramp_statuses (organization_id, id, status, updated_ms)
    values (${organizationId}, ${id}, ${status}, ${nowMs})
    on conflict (organization_id, id) do update set status = excluded.status, updated_ms = excluded.updated_ms
    where on_ramp_statuses.status = 'PENDING'`
  return (await getOnRampStatus(sql, { organizationId, id })) ?? status
}
