import { create } from "@bufbuild/protobuf"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { startDashboard } from "../../../services/dev/dashboard.ts"
import { readSettings } from "../../../services/terminal-client/settings.ts"
import { freePort } from "../../harness/free-port.ts"

/** The dashboard of a system without an organization. */
async function start(t: Test, build: () => Promise<string>) {
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const logged: string[] = []
  const port = await freePort()
  const urls = {
    url: "http://localhost:8080",
    authProxyUrl: "http://localhost:8081",
    dashboardUrl: `http://127.0.0.1:${port}`,
  }
  const dashboard = await startDashboard(
    {
      listen: { host: "127.0.0.1", port },
      client: { url: urls.url, signal: stop.signal },
      urls,
      seeded: undefined,
      pins: create(PinsSchema),
      settings: readSettings({ COUNTERSIGN_DATA_DIR: "/data" }),
      log: (line) => logged.push(line),
    },
    build,
  )
  if (dashboard === undefined) throw new Error("no dashboard")
  return { dashboard, logged }
}

t.test("a page that is asked for before the build waits for it", async (t) => {
  const folder = t.testdir({ "index.html": "<h1>Built</h1>" })
  const events: string[] = []
  const { dashboard } = await start(t, async () => folder)
  const page = fetch(dashboard.url).then(async (reply) => {
    events.push("page")
    return reply.text()
  })
  await Promise.race([page, pause(100)])
  events.push("finish")
  await dashboard.finish()
  t.match(await page, /Built/)
  t.strictSame(events, ["finish", "page"])
})

t.test("a build that fails is told by the log and by the page, and the system goes on", async (t) => {
  const { dashboard, logged } = await start(t, () => Promise.reject(new Error("no bundler")))
  await dashboard.finish()
  const reply = await fetch(dashboard.url)
  t.equal(reply.status, 503)
  t.equal(await reply.text(), "There is no dashboard: no bundler\n")
  t.strictSame(logged, ["there is no dashboard: no bundler"])
})
