import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { inOwnDirectory } from "../own-directory.ts"
import { startEmbedded } from "../system/database-server.ts"
import { freePort } from "../system/port.ts"
import { startSystem, untilReady } from "../system/system.ts"
import { Callers, type Counts } from "./callers.ts"

export type RestartsPlan = { restarts: number; callers: number }

export const FULL_PLAN: RestartsPlan = { restarts: 40, callers: 8 }
export const SHORT_PLAN: RestartsPlan = { restarts: 1, callers: 2 }

/** Connections of the pool of signatures and changes. */
export const POOL_SIZE = 10
/** Requests that are sent one after the other after each restart. */
export const PROBES = 10
/** Requests that the callers have served between two restarts at least, so that each finds transactions under way. */
const SERVED_BETWEEN = 20
const POLL_MS = 10

type Connections = { open: number; lost: number }

/** The callers' requests since the restart before, and what the API has after the restart. */
export type Restart = Counts & Connections & { probesServed: number }

export type RestartsRun = {
  rows: Restart[]
  /** Requests that were not served, and how many of them were when they were sent again. */
  repeated: number
  servedAgain: number
  /** After the last restart, when as many transactions as the pool has connections were under way. */
  end: Connections
}

/** Restarts PostgreSQL under signatures and changes. */
export function measureRestarts(
  { restarts, callers: count }: RestartsPlan,
  say: (line: string) => void,
): Promise<RestartsRun> {
  return inOwnDirectory(async ({ directory, interruption, stops, started }) => {
    const home = join(directory, "postgres")
    await mkdir(home, { mode: 0o755 })
    let database = await startEmbedded(home)
    stops.push(() => database.stop())
    const metrics = await freePort()
    const system = started(
      await startSystem({
        directory: join(directory, "system"),
        database,
        wire: "unix",
        apiSettings: { COUNTERSIGN_API_METRICS_LISTEN: String(metrics) },
      }),
    )
    const ready = `http://${system.target.host}:${system.target.port}/readyz`
    const callers = new Callers(system.target, count)
    const rows: Restart[] = []
    let before: Counts = { ...callers.counts }
    for (let number = 1; number <= restarts; number++) {
      interruption.check()
      const enough = callers.counts.served + SERVED_BETWEEN
      while (callers.counts.served < enough) await pause(POLL_MS)
      await database.stop()
      database = await startEmbedded(home)
      await untilReady(ready, system.programs)
      const probesServed = await callers.sendNew(PROBES)
      rows.push({ ...since(before, callers.counts), ...(await readConnections(metrics)), probesServed })
      before = { ...callers.counts }
      say(`restart ${number}: ${probesServed} of ${PROBES} requests served`)
    }
    const { repeated, served: servedAgain } = await callers.stop()
    await callers.sendTogether(4 * POOL_SIZE)
    return { rows, repeated, servedAgain, end: await readConnections(metrics) }
  })
}

function since(before: Counts, now: Counts): Counts {
  const { served, unavailable, other } = before
  return {
    served: now.served - served,
    unavailable: now.unavailable - unavailable,
    other: now.other - other,
  }
}

/** Open connections of the pool of signatures and changes; lost ones of all pools. */
async function readConnections(port: number): Promise<Connections> {
  const text = await (await fetch(`http://localhost:${port}/metrics`)).text()
  const values = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => Number(value))
  const [open = Number.NaN] = values(
    /^countersign_database_connections\{pool="requests",connection="open"\} (\d+)$/gm,
  )
  const lost = values(/^countersign_database_connections\{pool="\w+",connection="lost"\} (\d+)$/gm)
  return { open, lost: lost.reduce((sum, value) => sum + value, 0) }
}
