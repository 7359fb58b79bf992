import type { ChainAsset } from "../../chains/assets.ts"
import type { Database } from "../../database/database.ts"

/** The block at which balances were read, as notifications show it; on Solana a slot, without hash and time. */
export type BlockRef = { number: string; hash?: string; timestamp?: number }

/** Amounts in the smallest unit, decimal, by token; "" is the chain's own currency. */
export type Amounts = { readonly [token: string]: string }

/** Amounts that were read at a block which too few blocks follow. */
export type Pending = { amounts: Amounts; block: BlockRef }

/** An address whose balances an endpoint follows. `balances`: what was reported last; null: nothing was read yet. */
export type Watch = {
  organizationId: string
  endpointId: string
  eventType: string
  caip2: string
  address: string
  tokens: readonly ChainAsset[]
  balances: Amounts | null
  pending: Pending | null
  dueMs: bigint
  failures: number
  version: bigint
}

/** Result of one poll. `bodies`: notifications. */
export type Polled = { balances: Amounts | null; pending: Pending | null; bodies: readonly string[] }

/** Organizations that one look visits: most of them may have no address that is due. */
const VISITED = 200

type Turn = {
  caip2: string
  nowMs: number
  /** The organization that was visited last. */
  after: string
  /** Addresses of each organization. */
  addresses: number
}

/** True if an address is followed on any chain. */
export async function isAnyWatched(sql: Database): Promise<boolean> {
  const { count } = await sql`select from balance_watches limit 1`
  return count > 0
}

/**
 * The addresses of a chain that are due, of the organizations whose turn is next, those first that have waited longest. An
 * organization without any is visited too. `isRound`: no organization follows, and the first one is next.
 */
export async function dueWatches(
  sql: Database,
  { caip2, nowMs, after, addresses }: Turn,
): Promise<{ visited: { organizationId: string; watches: Watch[] }[]; isRound: boolean }> {
  const rows = await sql<({ visitedId: string } & (Watch | { organizationId: null }))[]>`
    with recursive turns as (
      (select organization_id from balance_watches where caip2 = ${caip2} and organization_id > ${after}
        order by organization_id limit 1)
      union all
      select (select w.organization_id from balance_watches w
        where w.caip2 = ${caip2} and w.organization_id > turns.organization_id order by w.organization_id limit 1)
      from turns where turns.organization_id is not null
    ), visited as materialized (
      select organization_id from turns where organization_id is not null limit ${VISITED}
    )
    select visited.organization_id as "visitedId", w.organization_id as "organizationId", endpoint_id as "endpointId",
      event_type as "eventType", caip2, address, tokens, balances, pending, due_ms as "dueMs", failures, version
    from visited left join lateral (
      select * from balance_watches
      where balance_watches.caip2 = ${caip2} and balance_watches.organization_id = visited.organization_id
        and due_ms <= ${nowMs}
      order by due_ms limit ${addresses}
    ) w on true order by visited.organization_id, due_ms`
  const visited = new Map<string, Watch[]>()
  for (const { visitedId, ...row } of rows) {
    const watches = visited.get(visitedId) ?? []
    visited.set(visitedId, row.organizationId === null ? watches : [...watches, row])
  }
  return {
    visited: [...visited].map(([organizationId, watches]) => ({ organizationId, watches })),
    isRound: visited.size < VISITED,
  }
}

/** Takes addresses until a time by which their poll has ended. Those that another worker took meanwhile are left out. */
export async function leaseWatches(
  sql: Database,
  watches: readonly Watch[],
  untilMs: number,
): Promise<Watch[]> {
  const list = watches.map((watch) => ({ ...keyOf(watch), dueMs: String(watch.dueMs) }))
  const leased = await sql<{ place: number }[]>`
    update balance_watches w set due_ms = ${untilMs}
    from jsonb_to_recordset(${JSON.stringify(list.map((one, place) => ({ ...one, place })))}::text::jsonb) as given
      ("organizationId" uuid, "endpointId" uuid, "eventType" text, caip2 text, address text, "dueMs" bigint, place integer)
    where w.organization_id = "organizationId" and w.endpoint_id = "endpointId" and w.event_type = "eventType"
      and w.caip2 = given.caip2 and w.address = given.address and w.due_ms = "dueMs"
    returning place`
  const places = new Set(leased.map(({ place }) => place))
  return watches.filter((_, place) => places.has(place))
}

/**
 * Stores a poll and queues its notifications, both or neither, and nothing over a newer poll.
 *
 * @returns true if it was stored
 */
export async function storePoll(
  sql: Database,
  watch: Watch,
  { balances, pending, bodies }: Polled,
  { dueMs, nowMs }: { dueMs: number; nowMs: number },
): Promise<boolean> {
  const [row] = await sql<{ isStored: boolean }[]>`
    with stored as (
      update balance_watches set balances = ${jsonOf(balances)}::text::jsonb, pending = ${jsonOf(pending)}::text::jsonb,
        due_ms = ${dueMs}, failures = 0, version = version + 1
      where ${isWatch(sql, watch)} and version = ${watch.version}
      returning organization_id, endpoint_id, event_type
    ), queued as (
      insert into webhook_deliveries
        (organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms, updated_ms)
      select organization_id, endpoint_id, organization_id, event_type, gen_random_uuid(), body, ${nowMs}, ${nowMs}
      from stored cross join json_array_elements_text(${JSON.stringify(bodies)}::text::json) with ordinality as list (body, place)
      order by place
    )
    select exists (select from stored) as "isStored"`
  return row?.isStored === true
}

/** Puts an address off: its poll failed, or it was not polled although it was leased. */
export async function deferWatch(
  sql: Database,
  watch: Watch,
  { dueMs, failures }: { dueMs: number; failures: number },
): Promise<void> {
  await sql`
    update balance_watches set due_ms = ${dueMs}, failures = ${failures}
    where ${isWatch(sql, watch)} and version = ${watch.version}`
}

function isWatch(sql: Database, { organizationId, endpointId, eventType, caip2, address }: Watch) {
  return sql`organization_id = ${organizationId} and endpoint_id = ${endpointId} and event_type = ${eventType}
    and caip2 = ${caip2} and address = ${address}`
}

function keyOf({ organizationId, endpointId, eventType, caip2, address }: Watch) {
  return { organizationId, endpointId, eventType, caip2, address }
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
