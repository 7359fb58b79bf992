// Answers while the database is away, full or read-only: 503 with Retry-After, within the deadline, and /readyz says why.
import t from "tap"
import {
  closeDatabase,
  connectDatabase,
  type Database,
  poolState,
} from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { DatabaseLink } from "../../../harness/database-link.ts"
import { SilentLink } from "../../../harness/silent-link.ts"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { signBody, signed } from "../prepared.ts"
import { makeKey } from "../stamps.ts"
import { startApi } from "../start-api.ts"

const key = makeKey()
const alice = user("alice", key)

// Each test has a database of its own, and mostly waits for what it does not answer.
t.jobs = 3

/** A query; the API has to look the key up. */
const ask = (api: Awaited<ReturnType<typeof startApi>>) =>
  api.post("query/whoami", { organizationId: ORGANIZATION_ID }, key)

t.test("requests are answered 503 while the database accepts connections and is silent", async (t) => {
  const link = await SilentLink.open(1, { silent: true })
  const sql = connectDatabase({ url: `postgres://user@${link.address}/database` })
  t.teardown(async () => {
    link.close()
    await closeDatabase(sql, 0)
  })
  const api = await startApi(t, { sql, queriesSql: sql })
  // More than the pool has connections: those that wait for one are answered too.
  const replies = await Promise.all(Array.from({ length: 40 }, () => ask(api)))
  for (const { status, headers } of replies) {
    t.equal(status, 503)
    t.equal(headers.get("retry-after"), "1")
  }
  t.match(await api.send("/readyz"), { status: 503, json: { ready: false } })
})

t.test("a signature that the database does not store in time is answered 503", async (t) => {
  const { sql, url } = await freshDatabase(t)
  await storeOrganization(sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })
  const api = await startApi(t, { sql, queriesSql: sql })
  const other = connectDatabase({ url }, { max: 1 })
  t.teardown(() => closeDatabase(other))
  const locked = await other.reserve()
  await locked`begin`
  await locked`set local idle_in_transaction_session_timeout = 0`
  await locked`lock table activities in access exclusive mode`
  api.signer.answers.push(signed(alice.userId), signed(alice.userId))
  const sign = () => api.post("submit/sign_raw_payload", signBody(), key)
  const { status, headers, json } = await sign()
  t.match({ status, json }, { status: 503, json: { code: 14, message: /did not answer in time; / } })
  t.equal(headers.get("retry-after"), "1")
  await locked`rollback`
  locked.release()
  t.equal((await sign()).status, 200, "the same body, once the database answers")
})

t.test(
  "C4: requests beside a database that falls silent give their places back, and are then served",
  async (t) => {
    const { sql: usual, url } = await freshDatabase(t)
    await storeOrganization(usual, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })
    const link = await DatabaseLink.open(t, url)
    const pools = [1, 2].map(() => connectDatabase({ url: link.url }, { max: 4, statementTimeoutMs: 1_000 }))
    t.teardown(() => Promise.all(pools.map((pool) => closeDatabase(pool, 0))))
    const [sql, queriesSql] = pools as [Database, Database]
    const admission = { requests: 12, ofOrganization: 6 }
    const api = await startApi(t, { sql, queriesSql, admission })
    t.equal((await ask(api)).status, 200, "from now on the caller is known")
    link.silence()
    const bodies = Array.from({ length: 18 }, (_, index) => signBody(`payload ${index}`))
    const sign = (body: ReturnType<typeof signBody>) => api.post("submit/sign_raw_payload", body, key)
    for (let first = 0; first < bodies.length; first += 6) {
      api.signer.answers.push(...Array.from({ length: 6 }, () => signed(alice.userId)))
      const replies = await Promise.all([
        ...bodies.slice(first, first + 3).map(sign),
        ask(api),
        ask(api),
        ask(api),
      ])
      t.same([...new Set(replies.map(({ status }) => status))], [503])
    }
    link.restore()
    api.signer.answers.splice(0, Number.POSITIVE_INFINITY, ...bodies.map(() => signed(alice.userId)))
    for (const body of bodies) t.equal((await sign(body)).status, 200)
    for (let asked = 0; asked < 6; asked++) t.equal((await ask(api)).status, 200)
    for (const pool of pools) t.match(poolState(pool), { lost: 0, waiting: 0 })
  },
)

t.test("a read-only database is 503 for changes, serves queries, and /readyz names it", async (t) => {
  const { sql: usual, url } = await freshDatabase(t)
  await storeOrganization(usual, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })
  const sql = await readOnly(t, usual, url)
  const api = await startApi(t, { sql, queriesSql: sql })
  t.equal((await ask(api)).status, 200, "a query is answered")
  api.signer.answers.push(signed(alice.userId))
  const { status, headers, json } = await api.post("submit/sign_raw_payload", signBody(), key)
  t.match({ status, json }, { status: 503, json: { message: "the database is read-only; try again" } })
  t.equal(headers.get("retry-after"), "1")
  t.match(await api.send("/readyz"), { status: 503, json: { ready: false, database: "read-only" } })
})

async function readOnly(t: { teardown(clean: () => Promise<void>): unknown }, usual: Database, url: string) {
  const [row] = await usual<{ name: string }[]>`select current_database() as name`
  await usual`alter database ${usual(row?.name ?? "")} set default_transaction_read_only = on`
  const sql = connectDatabase({ url })
  t.teardown(() => closeDatabase(sql))
  return sql
}
