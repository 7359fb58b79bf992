import { storedStatus, storedType } from "../../services/api/store/activity-codes.ts"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"

/** Number of activities of which one is a failed signature, and one has the rare type. */
const RARE_EVERY = 1_000
/** A type that no flood adds activities of. */
export const RARE_TYPE = "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"

/**
 * Gives an organization a history of `count` activities: copies of its newest signature, each with its own id and
 * fingerprint.
 */
export async function writeHistory(
  databaseUrl: string,
  organizationId: string,
  count: number,
): Promise<void> {
  const sql = connectDatabase({ url: databaseUrl }, { max: 1, statementTimeoutMs: 0 })
  try {
    // A history lost with the machine is written again.
    await sql`set synchronous_commit = off`
    await sql`set maintenance_work_mem = '256MB'`
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'activities' and indexdef not like '%UNIQUE%'`
    for (const { name } of indexes) await sql`drop index ${sql(name)}`
    const written = await sql`
      insert into activities
        (organization_id, id, fingerprint, type, status, user_id, contents, text_length, created_ms, updated_ms)
      select organization_id, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, sha256(n::text::bytea),
        case when n % ${RARE_EVERY} = 1 then ${storedType(RARE_TYPE)} else type end,
        case when n % ${RARE_EVERY} = 0 then ${storedStatus("ACTIVITY_STATUS_FAILED")} else status end,
        user_id, contents, text_length, created_ms - ${count}::int + n, updated_ms - ${count}::int + n
      from (
        select * from activities
        where organization_id = ${organizationId} and type = ${storedType("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")}
        order by id desc limit 1
      ) as signature, generate_series(1, ${count}::int) as n`
    if (written.count !== count) throw new Error(`${written.count} of ${count} activities were written`)
    for (const { definition } of indexes) await sql.unsafe(definition)
    await sql`vacuum analyze activities`
    await sql`checkpoint`
  } finally {
    await closeDatabase(sql)
  }
}
