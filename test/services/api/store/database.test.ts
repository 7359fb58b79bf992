import t from "tap"
import {
  closeDatabase,
  connectDatabase,
  LOCKS_POOL,
  QUERIES_POOL,
  sqlState,
} from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"

t.test("returns 64-bit integers as bigint and bytes as bytes", async (t) => {
  const { sql } = await freshDatabase(t)
  const bytes = Buffer.from("00ff5c7800", "hex")
  const [row] = await sql`select ${2n ** 63n - 1n}::bigint as big, ${bytes}::bytea as bytes, 7 as small`
  t.same(row, { big: 2n ** 63n - 1n, bytes, small: 7 })
})

t.test("distinguishes the server's errors from its own", async (t) => {
  const { sql } = await freshDatabase(t)
  t.equal(sqlState(await sql`select 1/0`.catch((error: unknown) => error)), "22012")
  t.equal(sqlState(new Error("CONNECTION_CLOSED")), undefined)
})

t.test("reads both forms of a socket in a URL", { skip: isRemote() }, async (t) => {
  const { url } = await freshDatabase(t)
  const { hostname, username, pathname } = new URL(url)
  const other = `postgres://${username}@${pathname}?host=${hostname}`
  for (const text of [
    url,
    other.replace("@/", "@localhost/"),
    `postgres:///${pathname.slice(1)}?host=${hostname}&user=${username}`,
  ]) {
    const sql = connectDatabase({ url: text }, { applicationName: "spelling" })
    const [row] =
      await sql`select current_database() as name, current_setting('application_name') as application`
    t.same(row, { name: pathname.slice(1), application: "spelling" })
    await closeDatabase(sql)
  }
})

t.test("however long the server was away, the next attempt to connect comes within a second", async (t) => {
  const sql = connectDatabase({ url: "postgres://user@localhost/database" })
  t.teardown(() => closeDatabase(sql, 0))
  const { backoff } = sql.options as unknown as { backoff: (failures: number) => number }
  for (const failures of [0, 1, 5, 20, 1000]) {
    const seconds = backoff(failures)
    t.ok(seconds > 0 && seconds < 1, `${seconds} s after ${failures} failures`)
  }
})

t.test("a transaction that is idle for too long loses its session and its locks", async (t) => {
  const { sql, url } = await freshDatabase(t)
  await sql`create table locked (id integer primary key)`
  await sql`insert into locked values (1)`
  const other = connectDatabase({ url }, { max: 1, idleTransactionMs: 200 })
  t.teardown(() => closeDatabase(other, 0))
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const transaction = other.begin(async (tx) => {
    await tx`update locked set id = 2`
    hold()
    await ended
  })
  const lost = t.rejects(transaction)
  await held
  t.same((await sql`update locked set id = 3`).count, 1, "the lock is free without the other's doing")
  end()
  await lost
  t.same([...(await sql`select id from locked`)], [{ id: 3 }])
})

t.test(
  "the locks of a client whose packets are lost are free as soon as its request would be over",
  async (t) => {
    const { url } = await freshDatabase(t)
    for (const [options, seconds] of [
      [{}, 10],
      [QUERIES_POOL, 10],
      [LOCKS_POOL, 15],
    ] as const) {
      const sql = connectDatabase({ url }, { ...options, max: 1 })
      const [row] = await sql`select current_setting('idle_in_transaction_session_timeout') as idle`
      t.same(row, { idle: `${seconds}s` })
      await closeDatabase(sql)
    }
  },
)

function isRemote(): boolean {
  return process.env.TEST_DATABASE_URL !== undefined && !process.env.TEST_DATABASE_URL.includes("%2F")
}
