import { getPriority } from "node:os"
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
