import type { Database } from "../../database/database.ts"

/** An activity that waits for votes. */
export type PendingRow = { organizationId: string; fingerprint: Uint8Array; id: string; createdMs: bigint }

/**
 * A page of the activities that wait since before a time, of all organizations, oldest first. The index leaves
 * out all others: its condition is written out here, so that the planner sees it.
 */
export async function listPending(
  sql: Database,
  untilMs: number,
  after: Pick<PendingRow, "createdMs" | "id"> = { createdMs: -1n, id: NO_ID },
): Promise<PendingRow[]> {
  return sql<PendingRow[]>`
    select organization_id as "organizationId", fingerprint, id, created_ms as "createdMs" from activities
    where status in ('ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
      and created_ms <= ${untilMs} and (created_ms, id) > (${after.createdMs}, ${after.id}::uuid)
    order by created_ms, id limit ${PAGE}`
}

/** The signer answers for at most this many of one organization. */
const PAGE = 1000

const NO_ID = "00000000-0000-0000-0000-000000000000"
