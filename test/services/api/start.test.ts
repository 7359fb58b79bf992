import { spawnSync } from "node:child_process"
import t from "tap"

t.test("an API without database names the database as the cause", async (t) => {
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: "postgres://nobody@127.0.0.1:9/nothing",
    COUNTERSIGN_DATA_DIR: t.testdir(),
  }
  const ended = spawnSync(process.execPath, ["services/api/main.ts"], {
    env,
    encoding: "utf8",
    timeout: 25_000,
  })
  t.equal(ended.status, 1)
  t.match(ended.stdout + ended.stderr, /the database cannot be reached.*DATABASE_URL/)
})
