// Keeps a pool under load until its standard input ends; then prints what became of the queries.
import { setTimeout as sleep } from "node:timers/promises"
import {
  closeDatabase,
  connectDatabase,
  type Database,
  poolState,
} from "../../../../services/database/database.ts"

const url = process.argv[2]!
const sql = connectDatabase({ url }, { applicationName: "driver-child", max: 4 })
const counts = { answered: 0, failed: 0, unsettled: 0 }
const stop = new AbortController()
process.stdin.on("end", () => stop.abort()).resume()

const loads: ((sql: Database) => Promise<unknown>)[] = [
  (sql) => sql`select ${1}::int`,
  // Over 1,024 bytes, which the driver writes at once instead of at the end of the turn.
  (sql) => sql`select ${"x".repeat(5000)}::text`,
  (sql) =>
    sql.begin(async (transaction) => {
      await transaction`select pg_sleep(0.002)`
      // A caller that handles the first query's loss goes on to the next.
      await transaction`select 1`.catch(() => undefined)
      await transaction`select 2`
    }),
]
console.log("ready")
await Promise.all(Array.from({ length: 9 }, (_, index) => load(loads[index % loads.length]!)))
// Together they need every connection of the pool.
const [[row] = []] = await Promise.all(Array.from({ length: 4 }, () => sql`select 7 as seven, pg_sleep(0.1)`))
const { open, lost } = poolState(sql)
await closeDatabase(sql)
console.log(JSON.stringify({ ...counts, seven: row?.["seven"], open, lost }))

async function load(query: (sql: Database) => Promise<unknown>): Promise<void> {
  while (!stop.signal.aborted) {
    counts.unsettled += 1
    await query(sql).then(
      () => (counts.answered += 1),
      () => (counts.failed += 1),
    )
    counts.unsettled -= 1
    // A turn of the event loop: connections that are refused would leave none.
    await sleep(1)
  }
}
