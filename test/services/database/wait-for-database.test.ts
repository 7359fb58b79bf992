// A start waits for a database that answers late, and gives up one that never does.
import t, { type Test } from "tap"
import { Writable } from "node:stream"
import { createLogger } from "../../../services/common/logger.ts"
import { waitForDatabase } from "../../../services/database/wait-for-database.ts"
import { freshDatabase } from "../../harness/database.ts"
import { DatabaseLink } from "../../harness/database-link.ts"

/** A clock on which each pause is over at once; `onPause` is called with the number of pauses before it. */
function pausing(onPause: (pauses: number) => void = () => undefined) {
  let [elapsed, pauses] = [0, 0]
  return {
    elapsedMs: () => elapsed,
    pause: async (ms: number) => {
      onPause(pauses++)
      elapsed += ms
    },
    get pauses() {
      return pauses
    },
  }
}

async function start(t: Test) {
  const { url } = await freshDatabase(t)
  const link = await DatabaseLink.open(t, url)
  const lines: { [member: string]: unknown }[] = []
  const destination = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(JSON.parse(line.toString()))
      done()
    },
  })
  const log = createLogger("test", "info", destination)
  return { link, url, lines, log, config: { url: link.url }, stop: new AbortController() }
}

t.test("a database that answers late is waited for, and the log says so once", async (t) => {
  const { link, lines, log, config, stop } = await start(t)
  link.hangUp()
  const clock = pausing((pauses) => {
    if (pauses === 4) link.restore()
  })
  await waitForDatabase({ config, waitMs: 60_000, log, stop: stop.signal, clock })
  t.equal(clock.pauses, 5)
  t.equal(lines.length, 1)
  t.match(lines[0], { level: "warn", msg: "waiting up to 60 s for the database" })
})

t.test("a database that is silent at first is waited for", async (t) => {
  const { link, log, config, stop } = await start(t)
  link.silence()
  const clock = pausing(() => link.restore())
  await waitForDatabase({ config, waitMs: 60_000, log, stop: stop.signal, clock })
  t.equal(clock.pauses, 1)
})

t.test(
  "a database that never answers is given up after the bound, with the fault of the latest attempt",
  async (t) => {
    const { link, log, config, stop } = await start(t)
    link.hangUp()
    const clock = pausing()
    const waiting = waitForDatabase({ config, waitMs: 5_000, log, stop: stop.signal, clock })
    await t.rejects(waiting, { code: "CONNECTION_CLOSED" })
    t.equal(clock.elapsedMs(), 5_000)
    await t.rejects(
      waitForDatabase({ config, waitMs: 0, log, stop: stop.signal, clock: pausing() }),
      Error,
      "0: no wait",
    )
  },
)

t.test("a login that is refused ends the wait at once, and so does a stop", async (t) => {
  const { link, url, log, config, stop } = await start(t)
  const elsewhere = new URL(url)
  elsewhere.pathname = "/no_database_of_this_name"
  const clock = pausing()
  const refused = { config: { url: elsewhere.href }, waitMs: 60_000, log, stop: stop.signal, clock }
  await t.rejects(waitForDatabase(refused), { code: "3D000" })
  t.equal(clock.pauses, 0)
  link.hangUp()
  const stopping = pausing(() => stop.abort())
  await waitForDatabase({ config, waitMs: 60_000, log, stop: stop.signal, clock: stopping })
  t.equal(stopping.pauses, 1)
})
