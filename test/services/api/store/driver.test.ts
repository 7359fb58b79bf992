// The patched database driver: a lost connection fails its queries and nothing else.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import t, { type Test } from "tap"
import { freshDatabase } from "../../../harness/database.ts"

const ROUNDS = 40

t.test("sessions that the server ends under load fail their queries, not the process", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const child = await underLoad(t, url)
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(Math.random() * 20)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'driver-child' and datname = current_database()`
  }
  t.match(await child.end(), { code: 0, counts: { unsettled: 0, seven: 7 }, errors: "" })
})

t.test("links that are cut under load fail their queries, not the process", async (t) => {
  const { url } = await freshDatabase(t)
  const relay = await relayTo(url)
  t.teardown(() => relay.close())
  const child = await underLoad(t, relay.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(Math.random() * 20)
    relay.cut()
  }
  t.match(await child.end(), { code: 0, counts: { unsettled: 0, seven: 7 }, errors: "" })
})

type Counts = { answered: number; failed: number; unsettled: number; seven: number }

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

/** A TCP port in front of the server. It can cut all of its links, also in the midst of a message. */
async function relayTo(url: string) {
  const target = new URL(url)
  const host = decodeURIComponent(target.hostname)
  const port = Number(target.port || 5432)
  const open = new Set<Socket>()
  const clients = new Set<Socket>()
  const server = createServer((incoming) => {
    clients.add(incoming)
    incoming.on("close", () => clients.delete(incoming))
    const outgoing = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(from)
      from.on("error", () => to.destroy())
      from.on("close", () => {
        open.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  target.hostname = "127.0.0.1"
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    cut() {
      for (const socket of clients) socket.resetAndDestroy()
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
