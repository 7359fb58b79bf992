// The patched database driver: what a holder of a connection has when its session ends, and who gets which answer.
import { setImmediate as turn } from "node:timers/promises"
import postgres from "postgres"
import t, { type Test } from "tap"
import {
  closeDatabase,
  connectDatabase,
  type Database,
  poolState,
  sqlState,
} from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { DatabaseLink } from "../../../harness/database-link.ts"

const LOST = { code: /^(?:CONNECTION_|ECONN)/ }

const STANDBY = { target_session_attrs: "prefer-standby" } as const

/** A pool by way of a link; the bound on its statements is short. `admin`: another pool, on the server itself. */
async function linked(t: Test, { max = 1, statementTimeoutMs = 1_000 } = {}) {
  const { sql: admin, url } = await freshDatabase(t)
  const link = await DatabaseLink.open(t, url)
  const sql = connectDatabase({ url: link.url }, { max, statementTimeoutMs, applicationName: "linked" })
  t.teardown(() => closeDatabase(sql, 0))
  await admin`create table notes (note text)`
  const notes = async () =>
    (await admin`select note from notes order by note`).map(({ note }) => String(note))
  return { sql, admin, link, notes, url }
}

const serves = async (t: Test, sql: Database) => t.match(await sql`select 7 as seven`, [{ seven: 7 }])

t.test(
  "C4: a transaction that lost its session does nothing in the next one, which is of others",
  async (t) => {
    const { sql, link, notes } = await linked(t)
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = sql.begin(async (tx) => {
      await tx`insert into notes values ('first')`
      begun.resolve()
      await ended.promise
      return "committed"
    })
    await begun.promise
    link.cut()
    await t.rejects(first, LOST)
    const second = sql.begin(async (tx) => {
      await tx`insert into notes values ('second')`
      // The first function ends in the midst of this transaction. Its COMMIT must not end it.
      ended.resolve()
      for (let turns = 0; turns < 20; turns++) await turn()
      await tx`select 1`
      throw new Error("rolled back")
    })
    await t.rejects(second, /rolled back/)
    t.same(await notes(), [])
    await serves(t, sql)
  },
)

t.test("statements of a transaction that waited for its lost session are refused", async (t) => {
  const { sql, link } = await linked(t)
  let results: PromiseSettledResult<unknown>[] = []
  const transaction = sql.begin(async (tx) => {
    // The first one keeps the others in the transaction's queue.
    const statements = [1, 2, 3].map((seconds) => tx`select ${seconds}::int, pg_sleep(10)`.execute())
    void turn().then(() => link.cut())
    results = await Promise.allSettled(statements)
    await tx`insert into notes values ('late')`
  })
  await t.rejects(transaction, LOST)
  await serves(t, sql)
  t.same(
    results.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  )
})

t.test("a savepoint is lost with its transaction", async (t) => {
  const { sql, link, notes } = await linked(t)
  const transaction = sql.begin(async (tx) => {
    await tx`insert into notes values ('outer')`
    await tx
      .savepoint(async (inner) => {
        link.cut()
        await inner`insert into notes values ('inner')`
      })
      .catch(() => undefined)
    await tx`insert into notes values ('after')`
  })
  await t.rejects(transaction, LOST)
  await serves(t, sql)
  t.same(await notes(), [])
  t.match(poolState(sql), { open: 1, lost: 0 })
})

t.test("a reserved connection whose session ended refuses its holder, and comes back", async (t) => {
  const { sql, link } = await linked(t)
  const held = await sql.reserve()
  await held`select 1`
  link.cut()
  await t.rejects(held`select pg_sleep(1)`, LOST)
  await serves(t, sql)
  await t.rejects(held`select 1`, LOST)
  held.release()
  t.match(poolState(sql), { open: 1, lost: 0 })
  await serves(t, sql)
})

t.test(
  "a request for a connection that fails leaves nothing behind, and the next one is served",
  async (t) => {
    const { sql, link } = await linked(t)
    link.hangUp()
    await t.rejects(sql.reserve(), LOST)
    link.restore()
    const held = await sql.reserve()
    t.match(await held`select 7 as seven`, [{ seven: 7 }])
    held.release()
    await serves(t, sql)
  },
)

t.test("a transaction behind a full pipeline has a session of its own", async (t) => {
  const { sql, notes } = await linked(t, { max: 2, statementTimeoutMs: 0 })
  await Promise.all([sql`select pg_sleep(0)`, sql`select pg_sleep(0)`])
  const before = Array.from({ length: 200 }, () => sql`select 1`.execute())
  await sql.begin((tx) => tx`insert into notes values ('kept')`)
  await Promise.all(before)
  t.same(await notes(), ["kept"])
})

t.test("a statement that cannot be written fails alone, and each answer has its statement", async (t) => {
  const { sql } = await linked(t)
  await serves(t, sql)
  const [first, faulty, third] = [
    sql`select 1 as n, pg_sleep(0.1)`.execute(),
    sql`select ${undefined as never}::int as n`.execute(),
    sql`select 3 as n`.execute(),
  ]
  await t.rejects(faulty, { code: "UNDEFINED_VALUE" })
  t.match(await first, [{ n: 1 }])
  t.match(await third, [{ n: 3 }])
})

t.test("a statement that was sent and cancelled keeps its answer from the next one", async (t) => {
  const { sql } = await linked(t)
  await serves(t, sql)
  const first = sql`select 1 as n, pg_sleep(0.2)`.execute()
  const second = sql`select 2 as n`.execute()
  const third = sql`select 3 as n`.execute()
  await turn()
  second.cancel()
  t.match(await first, [{ n: 1 }])
  t.match(await third, [{ n: 3 }])
  await second.catch(() => undefined)
  await serves(t, sql)
})

t.test("a session that ends while its caller uses a part of a result fails the result", async (t) => {
  const { sql, link } = await linked(t, { statementTimeoutMs: 0 })
  for (const isFaulty of [false, true]) {
    // oxlint-disable-next-line typescript/no-misused-promises -- the driver waits for the callback
    const rows = sql`select * from generate_series(1, 100) as n`.cursor(10, async () => {
      link.cut()
      while (poolState(sql).open > 0) await turn()
      if (isFaulty) throw new Error("a fault of the caller")
    })
    await t.rejects(Promise.resolve(rows), LOST)
    await serves(t, sql)
  }
})

t.test(
  "a server that hangs up on a new connection fails the statement, and is not asked without end",
  async (t) => {
    const { sql, link } = await linked(t)
    link.hangUp()
    await t.rejects(sql`select 1`, LOST)
    t.equal(link.accepted, 1)
    link.restore()
    await serves(t, sql)
  },
)

t.test("after a lost statement the refusal of a new session has its reason", async (t) => {
  const { sql, admin, link, url } = await linked(t)
  const name = new URL(url).pathname.slice(1)
  await serves(t, sql)
  const lost = t.rejects(sql`select pg_sleep(10)`, LOST)
  await turn()
  const other = connectDatabase({ url: url.replace(name, "postgres") }, { max: 1 })
  t.teardown(() => closeDatabase(other))
  await other`alter database ${other(name)} allow_connections false`
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and application_name = 'linked'`
  await lost
  t.equal(sqlState(await sql`select 1`.catch((error: unknown) => error)), "55000")
  t.equal(link.accepted, 2)
  await other`alter database ${other(name)} allow_connections true`
  await serves(t, sql)
})

t.test("each of several hosts is tried once", async (t) => {
  const { link, url } = await linked(t)
  const { username, pathname } = new URL(url)
  const of = (port: number) => `postgres://${username}@127.0.0.2,127.0.0.1:${port}${pathname}`
  const sql = connectDatabase({ url: of(link.port) }, { max: 1 })
  const dead = connectDatabase({ url: of(1) }, { max: 1 })
  t.teardown(() => Promise.all([sql, dead].map((pool) => closeDatabase(pool, 0))))
  await serves(t, sql)
  await t.rejects(dead`select 1`, { code: "ECONNREFUSED" })
})

t.test(
  "of several hosts a silent one is passed over, and a first statement that is lost fails",
  async (t) => {
    const { admin, link, url } = await linked(t)
    const silent = await DatabaseLink.open(t, url)
    silent.silence()
    const { username, pathname } = new URL(url)
    // A URL cannot give several hosts several ports.
    const hosts = { host: ["127.0.0.1", "127.0.0.1"], port: [silent.port, link.port] } as object
    const sql = postgres({ ...hosts, username, database: pathname.slice(1), connect_timeout: 1, max: 1 })
    t.teardown(() => sql.end({ timeout: 0 }))
    const lost = t.rejects(sql`select pg_sleep(10)`, LOST)
    const running = () => admin`
    select from pg_stat_activity where query like '%pg_sleep(10)%' and datname = current_database()
    and pid <> pg_backend_pid() and state = 'active'`
    while ((await running()).length === 0) await turn()
    link.cut()
    await lost
    const preferring = postgres({
      ...hosts,
      username,
      database: pathname.slice(1),
      connect_timeout: 1,
      max: 1,
      ...STANDBY,
    })
    t.teardown(() => preferring.end({ timeout: 0 }))
    t.match(await preferring`select 7 as seven`, [{ seven: 7 }], "without a standby the last host serves")
  },
)

t.test(
  "a statement on a silent link is given up with its connection, and with those that wait",
  async (t) => {
    const { sql, link } = await linked(t, { max: 2 })
    await Promise.all([sql`select pg_sleep(0.1)`, sql`select pg_sleep(0.1)`])
    link.silence()
    const first = sql`select 1`.execute()
    const statements = Array.from({ length: 20 }, () => sql`select 1`.then(() => "answered"))
    const transaction = sql.begin((tx) => tx`select 1`)
    await t.rejects(first, { code: "CONNECTION_TIMEOUT" })
    for (const { status } of await Promise.allSettled([...statements, transaction]))
      t.equal(status, "rejected")
    await t.rejects(sql`select 1`, /CONNECT/, "a new connection is silent too")
    link.restore()
    await Promise.all([sql`select pg_sleep(0.1)`, sql`select pg_sleep(0.1)`])
    t.match(poolState(sql), { open: 2, lost: 0, waiting: 0 })
  },
)

t.test("a transaction on a link that falls silent in its midst is given up", async (t) => {
  const { sql, link, notes } = await linked(t)
  const transaction = sql.begin(async (tx) => {
    await tx`insert into notes values ('silent')`
    link.silence()
    await tx`insert into notes values ('lost')`
  })
  await t.rejects(transaction, LOST)
  link.restore()
  await serves(t, sql)
  t.same(await notes(), [])
})

t.test("an answer that came while this process was suspended is read", async (t) => {
  const { url } = await freshDatabase(t)
  const sql = connectDatabase({ url }, { max: 1, statementTimeoutMs: 1_000 })
  t.teardown(() => closeDatabase(sql))
  await serves(t, sql)
  const answer = sql`select 7 as seven, pg_sleep(0.2)`.execute()
  // The statement is on its way.
  await turn()
  await turn()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
  t.match(await answer, [{ seven: 7 }])
})

t.test("a pool on a silent link closes", async (t) => {
  const { sql, link } = await linked(t, { max: 2 })
  await Promise.all([sql`select pg_sleep(0.1)`, sql`select pg_sleep(0.1)`])
  link.silence()
  const statement = sql`select 1`.catch((error: unknown) => error)
  await closeDatabase(sql, 0)
  t.match(await statement, LOST)
  while (poolState(sql).open > 0) await turn()
})

t.test("a pool whose connection is lost while it closes is closed", async (t) => {
  const { sql, link } = await linked(t)
  await serves(t, sql)
  const statement = sql`select pg_sleep(0.4)`.catch((error: unknown) => error)
  await turn()
  await turn()
  const closed = sql.end()
  await turn()
  link.cut()
  t.match(await statement, LOST)
  await closed
  t.equal(poolState(sql).open, 0)
})
