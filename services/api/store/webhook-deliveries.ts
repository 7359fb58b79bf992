import type { Queries } from "../../database/database.ts"

/** A delivery that waits for its signature. */
export type UnsignedDelivery = {
  id: string
  sourceId: string
  parentId: string | null
  eventType: string
  /** JSON: the activity or the send as it was; null once the body is written. */
  snapshot: string | null
  body: string | null
}

export type SignedDelivery = { id: string; body: string; signature: Uint8Array }

/** True while a delivery waits for a signature, also one that another process signs. */
export async function isUnsigned(sql: Queries): Promise<boolean> {
  const { count } = await sql`select from webhook_deliveries where unsigned limit 1`
  return count > 0
}

/**
 * Deliveries that wait for a signature, oldest first. Rows that another process signs are left out; at most `maxBytes` of
 * text, and at least one row.
 */
export async function takeUnsigned(
  sql: Queries,
  limit: number,
  maxBytes: number,
): Promise<UnsignedDelivery[]> {
  return sql<UnsignedDelivery[]>`
    with taken as materialized (
      select id, sequence, greatest(octet_length(coalesce(body, snapshot::text)),
        (snapshot ->> 'textLength')::integer) as bytes from webhook_deliveries
      where unsigned order by sequence limit ${limit} for update skip locked
    ), measured as (
      select id, sequence, sum(bytes) over (order by sequence) as total, row_number() over (order by sequence) as place
      from taken
    )
    select d.id, d.source_id as "sourceId", o.parent_id as "parentId", d.event_type as "eventType",
      d.snapshot::text as snapshot, d.body
    from measured join webhook_deliveries d using (id) left join organizations o on o.id = d.source_id
    where place = 1 or total <= ${maxBytes} order by measured.sequence`
}

/**
 * Stores bodies and signatures, and has the worker poll the targets. The database's own time says later how old a
 * signature is.
 */
export async function storeSigned(
  sql: Queries,
  signed: readonly SignedDelivery[],
  { keyId, timestampMs }: { keyId: string; timestampMs: number },
): Promise<void> {
  const list = signed.map(({ id, body, signature }) => ({
    id,
    body,
    signature: Buffer.from(signature).toString("hex"),
  }))
  await sql`
    with stored as (
      update webhook_deliveries set body = given.body, snapshot = null, unsigned = false, signed_at = now(),
        timestamp_ms = ${timestampMs}, key_id = ${keyId}, signature = decode(given.signature, 'hex')
      from jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) as given (id uuid, body text, signature text)
      where webhook_deliveries.id = given.id
      returning organization_id, endpoint_id
    )
    insert into webhook_wakes (organization_id, endpoint_id) select distinct organization_id, endpoint_id from stored`
}

/** Ends deliveries that can never be signed. */
export async function endUnsigned(sql: Queries, ids: readonly string[], fault: string): Promise<void> {
  await sql`
    update webhook_deliveries set state = 'DEAD', unsigned = false, fault = ${fault}, updated_ms = ${Date.now()}
    where id = any (${[...ids]}::uuid[])`
}
