// Organizations with endpoints and notifications, as the API stores them.
import type { Database } from "../../../services/database/database.ts"

/** An organization; `parent`: the number of its parent. */
export async function organization(sql: Database, number: number, parent?: number): Promise<string> {
  await sql`
    insert into organizations (id, parent_id, name, version, deleted, document, created_ms)
    values (${id(number)}, ${parent === undefined ? null : id(parent)}, 'o', 1, false, '\\x00', 1)`
  return id(number)
}

export function id(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`
}

/** Endpoints of an organization with signed notifications, in turn of two organizations. */
export async function endpoints(
  sql: Database,
  organizationId: string,
  { from = 1, count, notifications, state = "WAITING" }: Endpoints,
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => id(0xe000 + from + index))
  await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, source_id, event_type, subject_id, body, state, unsigned,
      signed_at, timestamp_ms, key_id, signature, created_ms, updated_ms, deferred_family_id)
    select ${organizationId}, endpoint, (array[${id(1)}, ${id(2)}]::uuid[])[1 + n % 2], 'ACTIVITY_UPDATES',
      gen_random_uuid(), n::text, ${state}, false, now() + interval '1 hour', 1, 'key', '\\x00', n, n,
      case ${state}::text when 'DEFERRED' then ${organizationId}::uuid end
    from generate_series(1, ${notifications}::int) as event (n), unnest(${ids}::uuid[]) as target (endpoint) order by event.n`
  // After their notifications: a worker reads new targets once.
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    select ${organizationId}, endpoint, 'https://hooks.example/' || endpoint, 1 from unnest(${ids}::uuid[]) endpoint`
  return ids.map((endpoint) => `https://hooks.example/${endpoint}`)
}
type Endpoints = { from?: number; count: number; notifications: number; state?: string }
