import { getPriority } from "node:os"
import t from "tap"
import { freshDatabase } from "../../harness/database.ts"
import { startWorker } from "./start-worker.ts"

/** As in services/worker/main.ts. */
const PRIORITY = 5

t.test("a worker yields its processor to signatures on the same host", async (t) => {
  const { url } = await freshDatabase(t)
  const worker = await startWorker(t, { DATABASE_URL: url })
  t.equal(getPriority(worker.pid), Math.max(PRIORITY, getPriority()), "a greater niceness than usual")
})

t.test("a worker keeps a greater niceness that its operator gave it", async (t) => {
  const { url } = await freshDatabase(t)
  // The worker's process sets the niceness before its own code runs: later test files share this process, whose niceness must not change.
  const niceness = Math.max(10, getPriority())
  const before = `data:text/javascript,import{setPriority}from"node:os";setPriority(${niceness})`
  const worker = await startWorker(t, { DATABASE_URL: url }, ["--import", before])
  t.equal(getPriority(worker.pid), niceness)
})
