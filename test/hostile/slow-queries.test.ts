// Queries that hang in the database: they are ended, and no signature waits for them.
import t from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { signs, wallet } from "../e2e/wallets.ts"
import { freshDatabase } from "../harness/database.ts"
import { System } from "../harness/system.ts"

/** More than the connections of either pool. */
const QUERIES = 24

t.test("signing goes on beside queries that hang, and each of them is ended with a sentence", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const address = await wallet(system, acme, "First")
  await signs(t, system, acme, address, "before")
  const list = () => system.query("list_wallets", { organizationId: acme.organizationId }, acme.root)
  t.equal((await list()).status, 200)

  const other = connectDatabase({ url }, { max: 1 })
  const locked = await other.reserve()
  await locked`begin`
  await locked`set local idle_in_transaction_session_timeout = 0`
  await locked`lock table records in access exclusive mode`
  let ended = 0
  const hanging = Array.from({ length: QUERIES }, async () => {
    const reply = await list()
    ended++
    return reply
  })
  for (const when of ["beside one", "beside two", "beside three"]) await signs(t, system, acme, address, when)
  t.equal(ended, 0, "the queries hang meanwhile")
  const replies = await Promise.all(hanging)
  const [stopped, waiting] = [
    replies.filter(({ status }) => status === 504),
    replies.filter(({ status }) => status !== 504),
  ]
  t.ok(stopped.length > 0)
  for (const { json } of stopped) {
    t.match(json, { code: 4, message: /took too long and was stopped/ })
    t.match((json["details"] as object[]).at(-1), { reason: "QUERY_TIMEOUT" })
  }
  // Queries that still waited for a connection when their request's time was over.
  for (const { status, json } of waiting) {
    t.equal(status, 503)
    t.match(json, { code: 14, message: /did not answer in time/ })
  }
  await locked`rollback`
  locked.release()
  await closeDatabase(other)
  t.equal((await list()).status, 200)
})
