// Signals about work in the database: between processes, and after a connection that was lost.
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { createLogger } from "../../services/common/logger.ts"
import { WorkRests } from "../../services/database/work-rests.ts"
import { DatabaseSignals, WorkSignals } from "../../services/database/work-signals.ts"
import { freshDatabase } from "../harness/database.ts"
import { patienceMs } from "../harness/patience.ts"

const log = createLogger("test", "silent")
const NEVER = new AbortController().signal
const LONG_MS = patienceMs(60_000)

function open(t: Test, url: string) {
  const signals = new DatabaseSignals({ url }, log)
  t.teardown(() => signals.close())
  const received: (() => void)[] = []
  let count = 0
  signals.onWork(() => {
    count += 1
    for (const resolve of received.splice(0)) resolve()
  })
  signals.start()
  return {
    announce: () => signals.announce(),
    close: () => signals.close(),
    count: () => count,
    next: () => new Promise<void>((resolve) => received.push(resolve)),
  }
}

t.test("a signal reaches every process of the database, and the own one at once", async (t) => {
  const { url } = await freshDatabase(t)
  const [one, other] = [open(t, url), open(t, url)]
  await Promise.all([one.next(), other.next()])
  const before = one.count()
  const reached = other.next()
  one.announce()
  t.equal(one.count(), before + 1, "without the database")
  await reached
  t.pass("the other process too")
})

t.test("signals follow one another with a pause, and the last one is never left out", async (t) => {
  const { url } = await freshDatabase(t)
  const [one, other] = [open(t, url), open(t, url)]
  await Promise.all([one.next(), other.next()])
  const before = other.count()
  for (let number = 0; number < 1_000; number++) one.announce()
  await other.next()
  one.announce()
  await other.next()
  t.ok(other.count() - before < 10, "a thousand signals at one time are not sent one by one")
})

t.test("after a lost connection a process listens again, and looks for what it missed", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const [one, other] = [open(t, url), open(t, url)]
  await Promise.all([one.next(), other.next()])
  const again = [one.next(), other.next()]
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'countersign-signals' and datname = current_database()`
  await Promise.all(again)
  const reached = other.next()
  one.announce()
  await reached
  t.pass("signals arrive as before")
})

t.test("a loop rests until a signal, and one that came during its look counts", async (t) => {
  const signals = new WorkSignals()
  const rests = new WorkRests(signals)
  const rest = () => rests.rest({ leastMs: 1, mostMs: LONG_MS }, NEVER)
  signals.announce()
  await rest()
  t.pass("it came before the rest")
  const resting = rest()
  await pause(20)
  signals.announce()
  await resting
  t.pass("it came during the rest")
  await rests.rest({ leastMs: 1, mostMs: 5 }, NEVER)
  t.pass("none came: the rest ends by itself")
  await rests.rest({ leastMs: LONG_MS, mostMs: LONG_MS }, AbortSignal.abort())
  t.pass("a stopped loop does not rest")
})
