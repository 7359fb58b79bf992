import { getPriority, setPriority } from "node:os"
import t from "tap"
import { freshDatabase } from "../../harness/database.ts"
import { migrate } from "../../../services/api/store/migrate.ts"
import { startWorker } from "./start-worker.ts"

t.test("a worker yields its processor to signatures on the same host", async (t) => {
  const { sql, url } = await freshDatabase(t)
  await migrate(sql)
  const worker = await startWorker(t, { DATABASE_URL: url })
  t.ok(getPriority(worker.pid) > getPriority(), "a greater niceness than that of its starter")
})

t.test("a worker keeps a greater niceness that its operator gave it", async (t) => {
  const { sql, url } = await freshDatabase(t)
  await migrate(sql)
  setPriority(10)
  const worker = await startWorker(t, { DATABASE_URL: url })
  t.equal(getPriority(worker.pid), 10)
})
