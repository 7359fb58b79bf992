import type { Database, Transaction } from "../../database/database.ts"

/** Notifications that one transaction ends: their rows are locked until its end. */
const PIECE = 500

/** Time after which the activities that were being stored at a removal are stored, or never will be. */
const SETTLED_MS = 60_000

type Ending = { organizationId: string; endpointId: string; lastSequence: bigint; isLast: boolean }

/**
 * Ends the next piece of what waits for removed targets. Targets take turns, and no two workers have the same one. A target
 * with the same id that was added meanwhile keeps what was queued for it.
 */
export async function endNext(sql: Database, nowMs: number): Promise<void> {
  // Without a transaction of its own, as there is seldom something to do.
  const [isAsked] = await sql`select from webhook_endings where due_ms <= ${nowMs} limit 1`
  if (isAsked === undefined) return
  await sql.begin(async (tx) => {
    const [ending] = await tx<Ending[]>`
      select organization_id as "organizationId", endpoint_id as "endpointId", last_sequence as "lastSequence",
        due_ms > 0 as "isLast"
      from webhook_endings where due_ms <= ${nowMs} order by turn limit 1 for update skip locked`
    if (ending !== undefined) await endPiece(tx, ending, nowMs)
  })
}

async function endPiece(tx: Transaction, ending: Ending, nowMs: number): Promise<void> {
  const { organizationId, endpointId, lastSequence, isLast } = ending
  const { count } = await tx`
    with waiting as materialized (
      select id from webhook_deliveries
      where organization_id = ${organizationId} and endpoint_id = ${endpointId} and state in ('WAITING', 'DEFERRED')
        and (sequence <= ${lastSequence} or not exists (
          select from webhook_targets where organization_id = ${organizationId} and endpoint_id = ${endpointId}))
      limit ${PIECE} for update
    )
    update webhook_deliveries set state = 'DEAD', unsigned = false, fault = 'the endpoint was removed', updated_ms = ${nowMs}
    from waiting where webhook_deliveries.organization_id = ${organizationId} and webhook_deliveries.id = waiting.id`
  const where = tx`organization_id = ${organizationId} and endpoint_id = ${endpointId}`
  if (count === PIECE)
    await tx`update webhook_endings set turn = nextval('webhook_ending_turns') where ${where}`
  else if (isLast) await tx`delete from webhook_endings where ${where}`
  else await tx`update webhook_endings set due_ms = ${nowMs + SETTLED_MS} where ${where}`
}
