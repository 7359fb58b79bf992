// The wait for a process that starts: a slow machine is not a fault.
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { waitUntilReady } from "../../../services/dev/ready.ts"
import { reportSlowStart } from "../../../services/dev/slow-start.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"
import { fakeApi } from "../cli/fake-api.ts"

const { signal } = new AbortController()
const logFile = "/data/logs/api.log"

/** A clock on which a minute passes between two polls. */
function minutes() {
  let ms = 0
  return () => (ms += 60_000)
}

t.test("a process that needs five minutes is waited for", async (t) => {
  let asked = 0
  const { url, seen } = await fakeApi(t, {
    "/readyz": () => ({ status: ++asked < 5 ? 503 : 200, reply: {} }),
  })
  await waitUntilReady({ name: "API", url: `${url}/readyz`, logFile }, signal, minutes())
  t.equal(seen.length, 5)
})

t.test("a process that does not get ready is reported with the time, its answer and its log", async (t) => {
  const { url } = await fakeApi(t, { "/readyz": { status: 503, reply: { signer: "silent" } } })
  await t.rejects(waitUntilReady({ name: "API", url: `${url}/readyz`, logFile }, signal, minutes()), {
    code: ExitCode.fault,
    message:
      /the API was not ready after 660 s; .*"silent".* Its log: \/data\/logs\/api\.log\. Nothing is lost/,
  })
})

t.test("a slow start is reported until it ends", async (t) => {
  const lines: string[] = []
  const stop = reportSlowStart({ log: (line) => lines.push(line), logs: "/data/logs", everyMs: 1 })
  t.teardown(stop)
  while (lines.length < 2) await pause(1)
  stop()
  t.match(lines[0], /^still starting after \d+ s: .*nothing is lost\. Logs: \/data\/logs$/)
  const count = lines.length
  await pause(20)
  t.equal(lines.length, count)
})
