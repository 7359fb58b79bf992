import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { locatePackage, usableBinaries } from "./embedded-postgres/binaries.ts"
import { DATABASE_USER, initialize, launch } from "./embedded-postgres/launch.ts"
import { claim, take } from "./embedded-postgres/owner.ts"
import { type Place, preparePlace, SOCKET_NAME } from "./embedded-postgres/place.ts"
import { findReady, isAlive } from "./embedded-postgres/postmaster.ts"

/** A real PostgreSQL of our own, reachable through a unix socket only. */
export type EmbeddedPostgres = {
  /** Options for the postgres driver. */
  connection: { path: string; user: string; database: string }
  /** The same as a URL that psql and the driver understand. */
  url: string
  /** The server's process id. */
  pid: number
  /** Where data, log and socket lie; another directory than asked for if the server's user cannot enter it. */
  home: string
  /** What the server says, for whoever has to find out why it ended. */
  logFile: string
  /** False: another living process started it, and `stop` leaves it running. */
  owned: boolean
  /** Resolves once the server is gone, whoever ended it: the caller compares with its own intentions. */
  exited: Promise<void>
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = { directory: string; log: (sentence: string) => void }

/** How long a killed server's memory or lock may linger before a start gives up. */
const LOCK_PATIENCE_MS = 10_000
/** A fast shutdown that takes longer is cut short; recovery repairs at the next start. */
const STOP_PATIENCE_MS = 20_000
const POLL_MS = 20
const WATCH_ADOPTED_MS = 500

/**
 * Starts PostgreSQL from the optional package `@embedded-postgres/<platform>` in `directory`, or adopts the
 * one that runs there. The first start makes the cluster (about half a second), later ones take 0.1 s.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const found = await locatePackage()
  const place = await preparePlace(options.directory, options.log)
  const binaries = await usableBinaries(found, place.home, place.account, options.log)
  if (await initialize(place, binaries)) options.log(`database made in ${place.home}`)
  const patienceEnds = performance.now() + LOCK_PATIENCE_MS
  for (;;) {
    const running = await findReady(place.data)
    if (running) {
      const owned = (await claim(place.home, running.pid)) === "owner"
      options.log(`database already running as process ${running.pid}: using it`)
      return handle(
        { ...place, run: running.run },
        running.pid,
        owned,
        untilGone(running.pid, WATCH_ADOPTED_MS),
      )
    }
    const launched = await launch(place, binaries)
    if (launched.ready) {
      const { child, pid } = launched
      await take(place.home, pid)
      return handle(place, pid, true, new Promise((resolve) => child.once("exit", () => resolve())))
    }
    if (!launched.locked || performance.now() > patienceEnds) {
      throw new Error(`PostgreSQL did not start in ${place.home}: ${launched.report}`)
    }
    await sleep(POLL_MS * 5)
  }
}

function handle(place: Place, pid: number, owned: boolean, exited: Promise<void>): EmbeddedPostgres {
  const database = "postgres"
  return {
    connection: { path: join(place.run, SOCKET_NAME), user: DATABASE_USER, database },
    url: `postgres://${DATABASE_USER}@${encodeURIComponent(place.run)}/${database}`,
    pid,
    home: place.home,
    logFile: place.logFile,
    owned,
    exited,
    stop: async () => {
      if (owned) await stop(pid)
    },
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one. */
async function stop(pid: number): Promise<void> {
  if (!signal(pid, "SIGINT")) return
  const gone = untilGone(pid, POLL_MS)
  const isGone = await Promise.race([gone.then(() => true), sleep(STOP_PATIENCE_MS, false, { ref: false })])
  if (!isGone) signal(pid, "SIGQUIT")
  await gone
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Waits for a process that may not be our child. Does not keep ours alive. */
async function untilGone(pid: number, everyMs: number): Promise<void> {
  while (isAlive(pid)) await sleep(everyMs, undefined, { ref: everyMs === POLL_MS })
}
