import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import t from "tap"
import {
  dataDirectory,
  isAlive,
  NPM_START,
  pidOfDev,
  readEnvFile,
  startDev,
} from "../services/cli/dev-process.ts"
import { isLong } from "../harness/long.ts"
import { testKeys } from "./dev-keys.ts"
import { testRestarts } from "./dev-restarts.ts"
import { testRunning } from "./dev-running.ts"

t.test("a development system, from nothing to a signature and through restarts", async (t) => {
  const directory = dataDirectory(t)
  const first = startDev(t, directory, [], { FORCE_COLOR: "3" }, NPM_START)
  const lines = await first.ready()
  const members = first.members()

  testRunning(t, directory, lines)

  t.test("refuses a second start on its data directory", async (t) => {
    const { status, log } = await startDev(t, directory).ended
    t.equal(status, 5)
    t.match(log.at(-1), new RegExp(`process ${pidOfDev(directory)}`))
  })

  t.test("stops all programs on SIGTERM, which npm start passes on, and ends with 0", async (t) => {
    t.equal(members.size, 6)
    first.process.kill("SIGTERM")
    const { status, out, log } = await first.ended
    t.equal(status, 0)
    const logs = join(directory, "logs")
    const files = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"))
    t.ok(files.length > 0)
    t.notOk([...out, ...log, ...files].join("\n").includes("\u001b"), "C-1872: without codes of a terminal")
    t.same([...members.values()].filter(isAlive), [])
  })

  const before = readEnvFile(directory)

  testKeys(t, directory)
  testRestarts(t, directory, before)
})

// test/services/dev/port.test.ts has the sentence.
if (isLong)
  t.test("a development system reports a taken port in one sentence", async (t) => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    t.teardown(() => server.close())
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    const dev = startDev(t, dataDirectory(t), [], { COUNTERSIGN_API_LISTEN: `localhost:${port}` })
    const { status, log } = await dev.ended
    t.equal(status, 5)
    t.match(log.at(-1), new RegExp(`port ${port} is taken`))
  })
