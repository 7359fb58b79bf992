import {
  ACTIVITY_UPDATES,
  BALANCE_CONFIRMED,
  BALANCE_FINALIZED,
  SEND_UPDATES,
} from "../../../signer/core/webhook/statement.ts"
import type { Queries } from "../../database/database.ts"
import { type Page, type Paged, readPage } from "./page.ts"
import { HIGHEST_UUID, isUuidInAnyCase, LOWEST_UUID } from "./uuid.ts"

/** A delivery as it is shown. */
export type DeliveryRow = {
  id: string
  organizationId: string
  endpointId: string
  sourceId: string
  eventType: string
  /** WAITING, DEFERRED, DELIVERED, DEAD. */
  state: string
  attempts: number
  httpStatus: number | null
  fault: string | null
  /** Time before which no attempt is made, Unix milliseconds; 0: none is known. */
  retryMs: bigint
  createdMs: bigint
  updatedMs: bigint
}

export type AttemptRow = {
  startedMs: bigint
  durationMs: number
  httpStatus: number | null
  fault: string | null
}

/** Empty lists, and an absent endpoint, mean all. */
export type DeliveryFilter = {
  organizationId: string
  endpointId: string | undefined
  states: readonly string[]
  eventTypes: readonly string[]
}

/** All states, and all kinds of events that the database queues. */
const STATES = ["WAITING", "DEFERRED", "DELIVERED", "DEAD"]
const EVENT_TYPES = [ACTIVITY_UPDATES, SEND_UPDATES, BALANCE_CONFIRMED, BALANCE_FINALIZED, "WEBHOOK_TEST"]

/** Latest attempts that are shown of one delivery. */
const MAX_ATTEMPTS = 100

/** Deliveries, newest first: older ones follow `after` a cursor. */
export async function listDeliveries(
  sql: Queries,
  filter: DeliveryFilter,
  page: Page,
): Promise<Paged<DeliveryRow>> {
  const { organizationId, endpointId, states, eventTypes } = filter
  const pairs = pairsOf(states, eventTypes)
  const isKnown = async (id: string) => (await getDelivery(sql, organizationId, id)) !== undefined
  return readPage("descending", page, isKnown, async ({ above, below, ascending, limit }) => {
    if (!isUuidInAnyCase(organizationId)) return []
    const sequenceOf = (id: string) => sql`
      (select sequence from webhook_deliveries where organization_id = ${organizationId} and id = ${id})`
    const order = sql`order by sequence ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
    // One index range for each pair of state and type. A scan of the list would read every row that does not match.
    return sql<DeliveryRow[]>`
      with page as materialized (
        select listed.id, listed.sequence
        from unnest(${pairs.map(([state]) => state)}::text[], ${pairs.map(([, type]) => type)}::text[])
          as pair (state, event_type)
        cross join lateral (
          select id, sequence from webhook_deliveries
          where organization_id = ${organizationId} and state = pair.state and event_type = pair.event_type
          ${endpointId === undefined ? sql`` : sql`and endpoint_id = ${endpointId}`}
          ${above === LOWEST_UUID ? sql`` : sql`and sequence > ${sequenceOf(above)}`}
          ${below === HIGHEST_UUID ? sql`` : sql`and sequence < ${sequenceOf(below)}`}
          ${order}
        ) as listed
        ${order}
      )
      select ${columns(sql)} from page join webhook_deliveries d on d.organization_id = ${organizationId} and d.id = page.id
      left join webhook_targets t on t.organization_id = d.organization_id and t.endpoint_id = d.endpoint_id
      order by page.sequence ${ascending ? sql`asc` : sql`desc`}`
  })
}

export async function getDelivery(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<(DeliveryRow & { body: string | null }) | undefined> {
  if (!isUuidInAnyCase(organizationId) || !isUuidInAnyCase(id)) return undefined
  const [row] = await sql<(DeliveryRow & { body: string | null })[]>`
    select ${columns(sql)}, d.body from webhook_deliveries d
    left join webhook_targets t using (organization_id, endpoint_id)
    where d.organization_id = ${organizationId} and d.id = ${id}`
  return row
}

/** The latest attempts, oldest first. */
export async function attemptsOf(
  sql: Queries,
  { organizationId, id }: Pick<DeliveryRow, "organizationId" | "id">,
): Promise<AttemptRow[]> {
  const latest = await sql<AttemptRow[]>`
    select started_ms as "startedMs", duration_ms as "durationMs", http_status as "httpStatus", fault
    from webhook_attempts where organization_id = ${organizationId} and delivery_id = ${id}
    order by sequence desc limit ${MAX_ATTEMPTS}`
  return latest.toReversed()
}

/** The first of these ids that is no delivery to the endpoint. */
export async function unknownDelivery(
  sql: Queries,
  { organizationId, endpointId }: { organizationId: string; endpointId: string },
  ids: readonly string[],
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from unnest(${[...ids]}::uuid[]) as asked (id)
    where not exists (
      select from webhook_deliveries d
      where d.organization_id = ${organizationId} and d.id = asked.id and d.endpoint_id = ${endpointId}
    ) limit 1`
  return row?.id
}

function pairsOf(states: readonly string[], eventTypes: readonly string[]): [string, string][] {
  const types = new Set(eventTypes.length === 0 ? EVENT_TYPES : eventTypes)
  return [...new Set(states.length === 0 ? STATES : states)].flatMap((state) =>
    [...types].map((type): [string, string] => [state, type]),
  )
}

function columns(sql: Queries) {
  // A delivery that waits in its order waits for its target's pause; a deferred one has a time of its own.
  return sql`d.id, d.organization_id as "organizationId", d.endpoint_id as "endpointId", d.source_id as "sourceId",
    d.event_type as "eventType", d.state, d.attempts, d.http_status as "httpStatus", d.fault,
    (case when d.state = 'WAITING' and t.retry_ms > webhook_now_ms() then t.retry_ms
      when d.state = 'DEFERRED' then d.retry_ms else 0 end) as "retryMs",
    d.created_ms as "createdMs", d.updated_ms as "updatedMs"`
}
