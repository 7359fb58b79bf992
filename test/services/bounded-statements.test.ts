// Statements whose number of rows somebody else chooses. Each changes a bounded number of them: a statement has a bound on its
// time, and one that is cancelled for it would be so again at each attempt.
import { randomUUID } from "node:crypto"
import t from "tap"
import { removeOldDenialCounts } from "../../services/api/store/denial-quota.ts"
import { removeRowsOf } from "../../services/api/store/erasures.ts"
import { removeUnusedPolicyLists } from "../../services/api/store/policy-lists.ts"
import { endRemoved, listStored } from "../../services/api/store/restored.ts"
import { createLogger } from "../../services/common/logger.ts"
import { Jobs } from "../../services/database/jobs.ts"
import { abandonSends } from "../../services/worker/store/unsettled-sends.ts"
import { deleteEnded } from "../../services/worker/store/webhooks.ts"
import { freshDatabase } from "../harness/database.ts"
import { MOST_ROWS, sumOf, watchPieces } from "./pieces.ts"

const ROWS = 2_500
const DAY_MS = 86_400_000
const NOW_MS = 1_790_000_000_000
const [organizationId, parentId] = [randomUUID(), randomUUID()]

t.test("a restoration ends records and sessions that were removed since", async (t) => {
  const { sql } = await freshDatabase(t)
  await sql`
    insert into records (organization_id, kind, id, version, deleted, bytes)
    select ${organizationId}, 2, gen_random_uuid(), 1, false, '\\x00' from generate_series(1, ${ROWS}::int)`
  await sql`
    insert into sessions (organization_id, id, public_key, user_id, expires_ms, ended, bytes)
    select ${organizationId}, gen_random_uuid(), n::text, gen_random_uuid(), ${NOW_MS + 1}, false, '\\x00'
    from generate_series(1, ${ROWS}::int) n`
  const stored = await listStored(sql, organizationId, NOW_MS)
  const kept = [stored.recordIds[0] ?? "", stored.sessionIds[0] ?? ""]
  const { take } = await watchPieces(sql, ["records", "sessions"])
  await endRemoved(sql, organizationId, stored, { ids: new Set(kept), ledgerSequence: 5n, statuses: [] })
  const pieces = await take()
  t.ok(pieces.every(({ rows }) => rows <= MOST_ROWS))
  t.strictSame(sumOf(pieces), { records: ROWS - 1, sessions: ROWS - 1 })
  t.match(await sql`select id from records where not deleted`, [{ id: kept[0] }])
  t.match(await sql`select id from sessions where not ended`, [{ id: kept[1] }])
})

t.test("db prune removes counts of denials and lists of policies", async (t) => {
  const { sql } = await freshDatabase(t)
  const today = NOW_MS / DAY_MS
  await sql`
    insert into denial_counts (organization_id, user_id, day, denials, characters)
    select ${organizationId}, gen_random_uuid(), ${Math.floor(today)}::int - n % 2, 1, 1
    from generate_series(0, ${2 * ROWS - 1}::int) n`
  await sql`
    insert into policy_lists (organization_id, digest, policy_ids, last_used_ms)
    select ${organizationId}, sha256(n::text::bytea), '\\x00', case n % 2 when 0 then ${NOW_MS}::bigint else 1 end
    from generate_series(0, ${2 * ROWS - 1}::int) n`
  const { take } = await watchPieces(sql, ["denial_counts", "policy_lists"])
  await removeOldDenialCounts(sql, NOW_MS)
  t.equal(await removeUnusedPolicyLists(sql, NOW_MS), ROWS)
  const pieces = await take()
  t.ok(pieces.every(({ rows }) => rows <= MOST_ROWS))
  t.strictSame(sumOf(pieces), { denial_counts: ROWS, policy_lists: ROWS })
  t.match(await sql`select distinct day from denial_counts`, [{ day: Math.floor(today) }])
  t.match(await sql`select distinct last_used_ms from policy_lists`, [{ last_used_ms: BigInt(NOW_MS) }])
})

t.test("db erase removes what the parent's receivers were to be told", async (t) => {
  const { sql } = await freshDatabase(t)
  await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, source_id, event_type, subject_id, created_ms, updated_ms)
    select ${parentId}, ${randomUUID()}::uuid, case n % 2 when 0 then ${organizationId}::uuid else ${parentId}::uuid end,
      'ACTIVITY_UPDATES', gen_random_uuid(), 1, 1 from generate_series(1, ${2 * ROWS}::int) n`
  const { take } = await watchPieces(sql, ["webhook_deliveries"])
  await removeRowsOf(sql, { organizationId, parentId })
  const pieces = await take()
  t.ok(pieces.every(({ rows }) => rows <= MOST_ROWS))
  t.strictSame(sumOf(pieces), { webhook_deliveries: ROWS })
  t.match(await sql`select distinct source_id from webhook_deliveries`, [{ source_id: parentId }])
})

t.test("the worker deletes notifications that ended long ago, between its deliveries", async (t) => {
  const { sql } = await freshDatabase(t)
  const { take } = await watchPieces(sql, ["webhook_deliveries"])
  // A notification takes its attempts with it, and may have had hundreds.
  await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, source_id, event_type, subject_id, state, created_ms,
      updated_ms)
    select ${organizationId}, ${randomUUID()}::uuid, ${organizationId}, 'ACTIVITY_UPDATES', gen_random_uuid(),
      (array['DELIVERED', 'DEAD', 'WAITING'])[1 + n % 3], n, n from generate_series(1, 3 * ${ROWS}::int) n`
  const before = { deliveredBeforeMs: 3 * ROWS, deadBeforeMs: 1_500 }
  let calls = 1
  while (await deleteEnded(sql, before)) calls++
  const pieces = await take()
  t.ok(pieces.every(({ rows }) => rows <= 500))
  t.ok(calls >= 5, "no call deletes them all")
  const states = await sql<{ state: string; count: number }[]>`
    select state, count(*)::int as count from webhook_deliveries group by state order by state`
  t.strictSame(
    states.map(({ state, count }) => [state, count]),
    [
      ["DEAD", ROWS - 500],
      ["DELIVERED", 1],
      ["WAITING", ROWS],
    ],
  )
})

t.test("the worker gives up transactions whose blocks never become final", async (t) => {
  const { sql } = await freshDatabase(t)
  await sql`
    insert into sends (organization_id, id, activity_id, caip2, chain, account, nonce, raw, hash, last_valid_block_height,
      status, unsettled, block_number, created_ms, updated_ms)
    select ${organizationId}, gen_random_uuid(), gen_random_uuid(), 'eip155:1', 'eip155:1', '0x', n, '\\x00', '0x', 0,
      'INCLUDED', true, n, 1, 1 from generate_series(1, ${ROWS}::int) n`
  const { take } = await watchPieces(sql, ["sends"])
  for (let time = 0; time < 3; time++) await abandonSends(sql, "eip155:1", NOW_MS)
  t.strictSame(
    (await take()).map(({ rows }) => rows),
    [1_000, 1_000, 500],
  )
})

t.test("the worker gives jobs to transactions that have none", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const jobs = new Jobs({ url }, { log: createLogger("test", "silent"), supervise: false })
  t.teardown(() => jobs.close())
  await jobs.prepare("eip155:1")
  // A probe shows in which of the queue's tables the jobs are.
  await jobs.restore("eip155:1", [{ id: randomUUID(), organizationId }])
  const [{ table } = { table: "" }] = await sql<{ table: string }[]>`
    select distinct tableoid::regclass::text as "table" from pgboss.job where name like 'send.%'`
  await sql.unsafe(`
    create table pieces (count integer);
    create function note_piece() returns trigger language plpgsql as $$
    begin
      insert into pieces select count(*) from added;
      return null;
    end $$;
    create trigger note_insert after insert on ${table} referencing new table as added
      for each statement execute function note_piece()`)
  const open = Array.from({ length: ROWS }, () => ({ id: randomUUID(), organizationId }))
  await jobs.restore("eip155:1", open)
  await jobs.restore("eip155:1", open)
  const counts = (await sql<{ count: number }[]>`select count from pieces where count > 0`).map(
    ({ count }) => count,
  )
  t.strictSame(counts, [1_000, 1_000, 500], "each once")
})
