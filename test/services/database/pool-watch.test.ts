// A pool that answers nothing although the database does ends its process; a database that is away ends none.
import { setTimeout as pause } from "node:timers/promises"
import { Writable } from "node:stream"
import t, { type Test } from "tap"
import { createLogger } from "../../../services/common/logger.ts"
import { closeDatabase, connectDatabase, poolState } from "../../../services/database/database.ts"
import { PoolWatch } from "../../../services/database/pool-watch.ts"
import { freshDatabase } from "../../harness/database.ts"
import { DatabaseLink } from "../../harness/database-link.ts"

/** A pool by way of a link, under a watch whose clock the test moves: how long a connection takes here changes nothing. */
async function watched(t: Test) {
  const { url } = await freshDatabase(t)
  const link = await DatabaseLink.open(t, url)
  const config = { url: link.url }
  const sql = connectDatabase(config, { max: 2, statementTimeoutMs: 1_000, applicationName: "watched" })
  const unused = connectDatabase(config, { max: 1, applicationName: "unused" })
  const exits: number[] = []
  const clock = { ms: 0 }
  const lines: { [member: string]: unknown }[] = []
  const destination = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(JSON.parse(line.toString()))
      done()
    },
  })
  const watch = new PoolWatch({
    config,
    pools: { requests: sql, locks: unused },
    log: createLogger("test", "info", destination),
    exit: (status) => exits.push(status),
    silentMs: 200,
    everyMs: 20,
    nowMs: () => clock.ms,
  })
  t.teardown(async () => {
    watch.close()
    await Promise.all([closeDatabase(sql, 0), closeDatabase(unused, 0)])
  })
  return { sql, link, exits, lines, clock }
}

t.test("C4: a pool that answers nothing beside a database that answers ends the process", async (t) => {
  const { sql, link, exits, lines, clock } = await watched(t)
  await sql`select 1`
  link.silence("watched")
  for (; exits.length === 0; clock.ms += 100) await sql`select 1`.catch(() => undefined)
  t.equal(exits[0], 70)
  t.match(lines[0], { level: "fatal", pool: "requests", lost: 0, msg: /answered nothing for 0.2 s/ })
})

t.test("a database that is away ends no process, and its pool serves again", async (t) => {
  const { sql, link, exits, clock } = await watched(t)
  await sql`select 1`
  link.hangUp()
  link.cut()
  const enough = link.accepted + 40
  for (; link.accepted < enough; clock.ms += 100) await sql`select 1`.catch(() => undefined)
  link.restore()
  t.match(await sql`select 7 as seven`, [{ seven: 7 }])
  t.same(exits, [])
})

t.test("one statement that was lost ends no process, however long nothing is asked afterwards", async (t) => {
  const { sql, link, exits, clock } = await watched(t)
  await sql`select 1`
  await pause(100) // The watch checks, and knows this answer.
  const { answered } = poolState(sql)
  link.silence()
  const lost = t.rejects(sql`select 1`)
  link.restore()
  await lost
  while (poolState(sql).answered === answered) await pause(5)
  // The watch checks several times, and much time passes between two of its checks.
  for (let polls = 0; polls < 10; polls++, clock.ms += 1_000) await pause(20)
  t.same(exits, [])
})
