import type { Database, Transaction } from "../../database/database.ts"

/** A URL that receives events. `failures`: attempts in a row that failed. */
export type LeasedTarget = {
  organizationId: string
  endpointId: string
  /** Id of the top-level organization. */
  topLevelId: string
  url: string
  failures: number
  /** End of the lease, as the database writes it. Another worker's lease has another end. */
  leasedUntil: string
}

/** Number of the advisory lock ("whks") under which workers lease targets, one after the other. */
const LEASING = 0x77686b73

/** Changed targets that one poll reads. */
const MAX_WAKES = 1024

type Lease = { limit: number; topLevelLimit: number; leaseMs: number; nowMs: number }

/**
 * Leases targets with due notifications that no worker has leased. A top-level organization and its sub-organizations have
 * at most `topLevelLimit` leases over all workers. The longest wait is first, among top-level organizations and among the
 * targets of each. The cost of a call does not grow with the queue.
 */
export async function leaseTargets(sql: Database, lease: Lease): Promise<LeasedTarget[]> {
  return sql.begin(async (tx) => {
    // A statement of its own: the next ones see what other workers wrote before.
    await tx`select pg_advisory_xact_lock(${LEASING}::bigint)`
    const woken = await takeWakes(tx)
    if (woken.length > 0) await placeTopLevels(tx, { topLevels: woken, served: [] }, lease)
    const topLevels = await dueTopLevels(tx, lease)
    if (topLevels.length === 0) return []
    const leased = await leaseOf(tx, topLevels, lease)
    const served = [...new Set(leased.map(({ topLevelId }) => topLevelId))]
    await placeTopLevels(tx, { topLevels, served }, lease)
    return leased
  })
}

/**
 * Reads the targets that were changed, and returns their top-level organizations: each may have something to send, or a free
 * place. A target whose row an activity locks while it is stored is read by a later poll.
 */
async function takeWakes(tx: Transaction): Promise<string[]> {
  const rows = await tx<{ topLevelId: string }[]>`
    with woken as materialized (
      select sequence, organization_id, endpoint_id from webhook_wakes order by sequence limit ${MAX_WAKES}
    ), free as materialized (
      select target.* from (select distinct organization_id, endpoint_id from woken) as w cross join lateral (
        select organization_id, endpoint_id from webhook_targets t
        where t.organization_id = w.organization_id and t.endpoint_id = w.endpoint_id
        for no key update skip locked
      ) target
    ), taken as (
      delete from webhook_wakes w using woken left join free using (organization_id, endpoint_id)
      where w.sequence = woken.sequence and (free.endpoint_id is not null or (
        select true from webhook_targets t
        where t.organization_id = w.organization_id and t.endpoint_id = w.endpoint_id limit 1) is null)
    ), seen as (
      update webhook_targets t set waiting = (
        select true from webhook_deliveries d
        where d.organization_id = t.organization_id and d.endpoint_id = t.endpoint_id and d.state = 'WAITING' limit 1
      ) is not null
      from free where t.organization_id = free.organization_id and t.endpoint_id = free.endpoint_id
      returning t.family_id
    )
    select distinct family_id as "topLevelId" from seen`
  return rows.map(({ topLevelId }) => topLevelId)
}

/** The top-level organizations whose turn it is. */
async function dueTopLevels(tx: Transaction, { limit, nowMs }: Lease): Promise<string[]> {
  const rows = await tx<{ topLevelId: string }[]>`
    select organization_id as "topLevelId" from webhook_families where due_ms <= ${nowMs}
    order by due_ms, organization_id limit ${limit}`
  return rows.map(({ topLevelId }) => topLevelId)
}

/** Leases as many targets of these top-level organizations as they may have. */
async function leaseOf(
  tx: Transaction,
  topLevels: readonly string[],
  { limit, topLevelLimit, leaseMs, nowMs }: Lease,
): Promise<LeasedTarget[]> {
  return tx<LeasedTarget[]>`
    with placed as materialized (
      select target.*, top_level.turn
      from unnest(${[...topLevels]}::uuid[]) with ordinality as top_level (family_id, turn)
      cross join lateral (
        select organization_id, endpoint_id, retry_ms from webhook_targets t
        where t.family_id = top_level.family_id and waiting and events <> 0 and retry_ms <= ${nowMs} and leased_until < now()
        order by retry_ms, endpoint_id
        limit greatest(0, ${topLevelLimit} - (
          select count(*) from webhook_targets l
          where l.family_id = top_level.family_id and l.leased_until > '-infinity' and l.leased_until >= now()
        ))
        for update skip locked
      ) target
    ), taken as (
      select organization_id, endpoint_id from placed order by turn, retry_ms limit ${limit}
    )
    update webhook_targets t set leased_until = now() + ${leaseMs} * interval '1 millisecond' from taken
    where t.organization_id = taken.organization_id and t.endpoint_id = taken.endpoint_id
    returning t.organization_id as "organizationId", t.endpoint_id as "endpointId", url, failures,
      leased_until::text as "leasedUntil", family_id as "topLevelId"`
}

/**
 * Sets the queue time of top-level organizations: the time when a target is due or a lease ends. An organization that is
 * due keeps its place until it was served, then moves to the end. One without notifications is removed from the queue.
 */
async function placeTopLevels(
  tx: Transaction,
  { topLevels, served }: { topLevels: readonly string[]; served: readonly string[] },
  { topLevelLimit, nowMs }: Pick<Lease, "topLevelLimit" | "nowMs">,
): Promise<void> {
  await tx`
    with next as materialized (
      select family_id, case when held.targets >= ${topLevelLimit} then held.end_ms else least(held.end_ms, (
          select retry_ms from webhook_targets t
          where t.family_id = top_level.family_id and waiting and events <> 0 and leased_until < now()
          order by retry_ms, endpoint_id limit 1
        )) end as due_ms
      from unnest(${[...topLevels]}::uuid[]) as top_level (family_id)
      cross join lateral (
        select count(*) as targets, ${nowMs} + ceil(extract(epoch from min(leased_until) - now()) * 1000)::bigint as end_ms
        from webhook_targets t
        where t.family_id = top_level.family_id and leased_until > '-infinity' and leased_until >= now()
      ) held
    ), gone as (
      delete from webhook_families f using next where f.organization_id = next.family_id and next.due_ms is null
    )
    insert into webhook_families (organization_id, due_ms)
    select family_id, greatest(due_ms, ${nowMs}) from next where due_ms is not null
    on conflict (organization_id) do update set due_ms =
      case when excluded.due_ms > ${nowMs} or excluded.organization_id = any (${[...served]}::uuid[]) then excluded.due_ms
      else least(webhook_families.due_ms, excluded.due_ms) end`
}

/**
 * Gives a target back, with the failures in a row and the time before which it is not asked again. A worker whose lease
 * has ended meanwhile changes nothing.
 */
export async function releaseTarget(
  sql: Database,
  { organizationId, endpointId, url, leasedUntil }: LeasedTarget,
  { failures, retryMs }: { failures: number; retryMs: number },
): Promise<void> {
  // A URL that was changed meanwhile keeps its own count and time.
  await sql`
    update webhook_targets set leased_until = '-infinity',
      failures = case when url = ${url} then ${failures} else failures end,
      retry_ms = case when url = ${url} then ${retryMs} else retry_ms end
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and leased_until = ${leasedUntil}::text::timestamptz`
}

/** Prolongs the lease. Undefined: the target is gone, paused, has another URL, or is another worker's. */
export async function renewLease(
  sql: Database,
  target: LeasedTarget,
  leaseMs: number,
): Promise<LeasedTarget | undefined> {
  const { organizationId, endpointId, url } = target
  const [row] = await sql<{ leasedUntil: string }[]>`
    update webhook_targets set leased_until = now() + ${leaseMs} * interval '1 millisecond'
    where organization_id = ${organizationId} and endpoint_id = ${endpointId} and url = ${url} and events <> 0
      and leased_until = ${target.leasedUntil}::text::timestamptz
    returning leased_until::text as "leasedUntil"`
  return row && { ...target, leasedUntil: row.leasedUntil }
}
