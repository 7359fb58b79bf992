import { storedStatus } from "./activity-codes.ts"
import type { ActivityRow } from "./activity-row.ts"
import type { Database, Queries } from "../../database/database.ts"
import { noteState } from "./changes.ts"

/** Ids of an organization's rows, and fingerprints of its pending activities, that could be out of date. */
export type RestorableRows = { recordIds: string[]; sessionIds: string[]; pending: Uint8Array[] }

/** The parts of an organization's state in the signer's archive that correct the database's rows. */
export type ArchivedState = {
  /** Ids of its living records and sessions, and of the tombstones. */
  ids: ReadonlySet<string>
  ledgerSequence: bigint
  /** Name of the status of each activity of `StoredState.pending`; undefined: the ledger no longer knows it. */
  statuses: readonly (string | undefined)[]
}

const PENDING = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"]

/** The signer answers for as many. */
const MAX_PENDING = 1000

/** Living records, sessions that have not expired, and pending activities. To be read before the archive is. */
export async function listStored(
  sql: Database,
  organizationId: string,
  nowMs: number,
): Promise<RestorableRows> {
  const [records, sessions, activities] = await Promise.all([
    sql<{ id: string }[]>`select id from records where organization_id = ${organizationId} and not deleted`,
    sql<{ id: string }[]>`
      select id from sessions where organization_id = ${organizationId} and not ended and expires_ms > ${nowMs}`,
    sql<{ fingerprint: Uint8Array }[]>`
      select fingerprint from activities
      where organization_id = ${organizationId} and status in ${sql(PENDING)} order by id desc limit ${MAX_PENDING}`,
  ])
  return {
    recordIds: records.map(({ id }) => id),
    sessionIds: sessions.map(({ id }) => id),
    pending: activities.map(({ fingerprint }) => fingerprint),
  }
}

/**
 * Ends records, sessions and activities that the archive no longer has. Each was in the ledger before it was stored, so its
 * absence means that it was removed since. Activities that were decided get their status.
 */
export async function endRemoved(
  sql: Database,
  organizationId: string,
  stored: RestorableRows,
  archived: ArchivedState,
): Promise<void> {
  const isRemoved = (id: string) => !archived.ids.has(id)
  for (const ids of slicesOf(stored.recordIds.filter(isRemoved)))
    await sql`
      update records set deleted = true where organization_id = ${organizationId} and id = any (${ids}::uuid[])`
  for (const ids of slicesOf(stored.sessionIds.filter(isRemoved)))
    await sql`
      update sessions set ended = true where organization_id = ${organizationId} and id = any (${ids}::uuid[])`
  // The sequence is the last: an interrupted restoration is repeated.
  await sql.begin(async (tx) => {
    // A signer of an earlier release gives no statuses.
    const isTold = archived.statuses.length === stored.pending.length
    for (const [index, fingerprint] of isTold ? stored.pending.entries() : []) {
      const status = archived.statuses[index]
      await endPending(tx, { organizationId, fingerprint }, { status })
    }
    await noteState(tx, organizationId, archived.ledgerSequence)
  })
}

/** Rows that one statement changes: it has a bound on its time. */
const CHANGED_AT_ONCE = 1_000

function slicesOf(ids: readonly string[]): string[][] {
  const starts = Array.from(
    { length: Math.ceil(ids.length / CHANGED_AT_ONCE) },
    (_, i) => i * CHANGED_AT_ONCE,
  )
  return starts.map((start) => ids.slice(start, start + CHANGED_AT_ONCE))
}

/** The end of an activity by the ledger's status. `status` undefined: the ledger no longer knows the activity. */
type Ending = {
  status: string | undefined
  /** JSON, of an activity that expired. */
  failure?: string
}

/** Stores the end of a pending activity. Other activities do not change, and a pending status changes nothing. */
export async function endPending(
  sql: Queries,
  { organizationId, fingerprint }: { organizationId: string; fingerprint: Uint8Array },
  { status, failure }: Ending,
): Promise<void> {
  if (status !== undefined && PENDING.includes(status)) return
  const hasFailed = status !== "ACTIVITY_STATUS_COMPLETED" && status !== "ACTIVITY_STATUS_REJECTED"
  await sql`
    update activities set status = ${storedStatus(status ?? "ACTIVITY_STATUS_FAILED")},
      failure = ${hasFailed ? (failure ?? LOST) : null}
    where organization_id = ${organizationId} and fingerprint = ${fingerprint} and status in ${sql(PENDING)}`
}

/** True if a row was given its status here, without its outcome: the outcome itself replaces it. */
export function lacksOutcome({
  status,
  result,
  failure,
}: Pick<ActivityRow, "status" | "result" | "failure">) {
  return failure === LOST || (status === "ACTIVITY_STATUS_COMPLETED" && result === null)
}

/** The failure of an activity that was decided and whose outcome the database lost. */
const LOST = JSON.stringify({
  code: 15,
  message: "the database lost how this activity ended; what it changed, if it ran, is in the organization",
  details: [],
})
