import { type OnRampStatus, readOnRampStatus } from "../../../signer/core/on-ramp/status.ts"
import type { Queries } from "../../database/database.ts"

type Purchase = { organizationId: string; id: string }

/** The status that the provider told last; undefined: nobody has asked it yet. */
export async function getOnRampStatus(
  sql: Queries,
  { organizationId, id }: Purchase,
): Promise<OnRampStatus | undefined> {
  const [row] = await sql<{ status: string }[]>`
    select status from on_ramp_statuses where organization_id = ${organizationId} and id = ${id}`
  return row && readOnRampStatus(row.status)
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
