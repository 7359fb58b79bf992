import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

t.test("doctor asks a dashboard that is configured, and no other", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const host = await fakeApi(t, { "/": { reply: {} }, "/livez": { reply: {} }, "/readyz": { reply: {} } })
  const doctor = async (more: NodeJS.ProcessEnv = {}) =>
    (await commandLine({ COUNTERSIGN_DATA_DIR, ...more }, "doctor", "--api", host.url)).out
  t.notMatch(await doctor(), /dashboard:/)
  const written = (url: string) =>
    writeFileSync(join(COUNTERSIGN_DATA_DIR, ".env.local"), `DASHBOARD_URL="${url}"\n`)
  written(host.url)
  t.match(await doctor(), `ok      dashboard: ${host.url} answers`)
  t.ok(host.seen.some(({ path }) => path === "/"))
  t.match(
    await doctor({ COUNTERSIGN_DASHBOARD_LISTEN: "127.0.0.1:9" }),
    /^DOWN {4}dashboard: no answer from http:\/\/127\.0\.0\.1:9: npm start says why/m,
  )
  written(`${host.url}/elsewhere`)
  t.match(await doctor(), /^DOWN {4}dashboard: \S+ answered 404: it serves no pages$/m)
})
