// The patched database driver: a lost connection fails its queries and nothing else, and comes back to its pool.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import t, { type Test } from "tap"
import { freshDatabase } from "../../../harness/database.ts"
import { DatabaseLink } from "../../../harness/database-link.ts"

const ROUNDS = 40

/** Every query has an end, and all connections of the pool are open again. */
const WHOLE = { unsettled: 0, seven: 7, open: 4, lost: 0 }

t.test("sessions that the server ends under load fail their queries, not the process", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const child = await underLoad(t, url)
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(Math.random() * 20)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'driver-child' and datname = current_database()`
  }
  t.match(await child.end(), { code: 0, counts: WHOLE, errors: "" })
})

t.test("links that are cut under load fail their queries, not the process", async (t) => {
  const { url } = await freshDatabase(t)
  const link = await DatabaseLink.open(t, url)
  const child = await underLoad(t, link.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(Math.random() * 20)
    link.cut()
  }
  t.match(await child.end(), { code: 0, counts: WHOLE, errors: "" })
})

type Counts = {
  answered: number
  failed: number
  unsettled: number
  seven: number
  open: number
  lost: number
}

async function underLoad(t: Test, url: string) {
  const program = new URL("driver-child.ts", import.meta.url).pathname
  const child = spawn(process.execPath, [program, url], { stdio: ["pipe", "pipe", "pipe"] })
  t.teardown(() => child.kill("SIGKILL"))
  const errors = text(child.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exited = once(child, "exit")
  await lines.next()
  return {
    async end(): Promise<{ code: number; counts: Partial<Counts>; errors: string }> {
      child.stdin.on("error", () => undefined)
      child.stdin.end()
      const { value } = await lines.next()
      const [code] = await exited
      return { code, counts: JSON.parse(value ?? "{}") as Counts, errors: await errors }
    },
  }
}
