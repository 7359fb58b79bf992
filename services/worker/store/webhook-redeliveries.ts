import type { Database, Transaction } from "../../database/database.ts"

/** Deliveries that one transaction sends again: their rows are locked until its end. */
const PIECE = 500

type Redelivery = { organizationId: string; endpointId: string; afterSequence: bigint; remaining: number }

/**
 * The next slice of a requested redelivery: makes dead deliveries of an endpoint pending again, oldest first. Endpoints take
 * turns, and each is processed by one worker at a time.
 *
 * @returns whether a redelivery is requested: what it makes pending waits for a signature
 */
export async function redeliverNext(sql: Database): Promise<boolean> {
  // Without a transaction of its own, as there is seldom something to do.
  const [isAsked] = await sql`select from webhook_redeliveries limit 1`
  if (isAsked === undefined) return false
  await sql.begin(async (tx) => {
    const [asked] = await tx<Redelivery[]>`
      select organization_id as "organizationId", endpoint_id as "endpointId", after_sequence as "afterSequence", remaining
      from webhook_redeliveries order by turn limit 1 for update skip locked`
    if (asked !== undefined) await redeliverPiece(tx, asked)
  })
  return true
}

async function redeliverPiece(tx: Transaction, asked: Redelivery): Promise<void> {
  const { organizationId, endpointId, afterSequence, remaining } = asked
  const limit = Math.min(PIECE, remaining)
  // Locks the endpoint: what waits for one that is removed at the same time would wait for ever.
  const target = await tx`
    update webhook_targets set retry_ms = 0 where organization_id = ${organizationId} and endpoint_id = ${endpointId}`
  const piece =
    target.count === 0 ? [] : await redeliverAfter(tx, { organizationId, endpointId, afterSequence, limit })
  const isOver = piece.length < limit || piece.length === remaining
  const where = tx`organization_id = ${organizationId} and endpoint_id = ${endpointId}`
  if (isOver) await tx`delete from webhook_redeliveries where ${where}`
  else
    await tx`
      update webhook_redeliveries set after_sequence = ${piece.at(-1) ?? 0n}, remaining = ${remaining - piece.length},
        turn = nextval('webhook_redelivery_turns') where ${where}`
}

/** Sequences of the dead deliveries that were read. Deliveries that never had a body stay dead: they cannot be sent. */
async function redeliverAfter(
  tx: Transaction,
  { organizationId, endpointId, afterSequence, limit }: Omit<Redelivery, "remaining"> & { limit: number },
): Promise<bigint[]> {
  const rows = await tx<{ sequence: bigint }[]>`
    with dead as materialized (
      select id, sequence from webhook_deliveries
      where organization_id = ${organizationId} and endpoint_id = ${endpointId} and state = 'DEAD'
        and sequence > ${afterSequence} order by sequence limit ${limit} for update
    ), again as (
      update webhook_deliveries set state = 'WAITING', attempts = 0, retry_ms = 0, queued_ms = webhook_now_ms(),
        updated_ms = webhook_now_ms(), signed_at = null
      from dead
      where webhook_deliveries.organization_id = ${organizationId} and webhook_deliveries.id = dead.id
        and (body is not null or snapshot is not null)
    )
    select sequence from dead order by sequence`
  return rows.map(({ sequence }) => sequence)
}
