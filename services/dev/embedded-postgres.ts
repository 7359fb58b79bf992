import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { locatePackage, usableBinaries } from "./embedded-postgres/binaries.ts"
import { DATABASE_USER, initialize, launch } from "./embedded-postgres/launch.ts"
import { claimServer, recordOwner } from "./embedded-postgres/owner.ts"
import { type ServerLocation, prepareLocation, SOCKET_NAME } from "./embedded-postgres/location.ts"
import { findReady, isAlive } from "./embedded-postgres/postmaster.ts"

/** A PostgreSQL server for development, reachable only through a unix socket. */
export type EmbeddedPostgres = {
  /** Options for the postgres driver. */
  connection: { path: string; user: string; database: string }
  /** The connection as a URL for psql and the driver. */
  url: string
  /** The server's process id. */
  pid: number
  /** Directory of data, log and socket: the one asked for, or another if the server's user cannot enter it. */
  home: string
  /** The server's log, which says why it ended. */
  logFile: string
  /** False: another living process started it, and `stop` leaves it running. */
  owned: boolean
  /** Resolves when the server process has ended, whether `stop` ended it or not. */
  exited: Promise<void>
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>
  /** Immediate shutdown: PostgreSQL recovers at the next start. */
  kill(): void
}

export type EmbeddedPostgresOptions = {
  directory: string
  log: (sentence: string) => void
  /** Settings of the server in place of PostgreSQL's own. */
  settings?: Readonly<Record<string, string>>
}

/** A start waits this long for a killed server's memory and lock to be released. */
const LOCK_TIMEOUT_MS = 10_000
/** A fast shutdown that takes longer becomes an immediate one; PostgreSQL recovers at the next start. */
const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 20
const WATCH_ADOPTED_MS = 500

/**
 * Starts PostgreSQL from the optional package `@embedded-postgres/<platform>` in `directory`, or adopts the
 * one that runs there. The first start creates the cluster (about half a second), later ones take 0.1 s.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const found = await locatePackage()
  const location = await prepareLocation(options.directory, options.log)
  const binaries = await usableBinaries(found, location.home, location.account, options.log)
  if (await initialize(location, binaries)) options.log(`database made in ${location.home}`)
  const deadline = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    const running = await findReady(location.data)
    if (running) {
      const owned = (await claimServer(location.home, running.pid)) === "owner"
      options.log(`database already running as process ${running.pid}: using it`)
      return handle(
        { ...location, run: running.run },
        running.pid,
        owned,
        untilExited(running.pid, WATCH_ADOPTED_MS),
      )
    }
    const launched = await launch(location, binaries, options.settings)
    if (launched.ready) {
      const { child, pid } = launched
      await recordOwner(location.home, pid)
      return handle(location, pid, true, new Promise((resolve) => child.once("exit", () => resolve())))
    }
    if (!launched.locked || performance.now() > deadline) {
      throw new Error(`PostgreSQL did not start in ${location.home}: ${launched.report}`)
    }
    await sleep(POLL_MS * 5)
  }
}

function handle(
  location: ServerLocation,
  pid: number,
  owned: boolean,
  exited: Promise<void>,
): EmbeddedPostgres {
  const database = "postgres"
  return {
    connection: { path: join(location.run, SOCKET_NAME), user: DATABASE_USER, database },
    url: `postgres://${DATABASE_USER}@${encodeURIComponent(location.run)}/${database}`,
    pid,
    home: location.home,
    logFile: location.logFile,
    owned,
    exited,
    stop: async () => {
      if (owned) await stop(pid)
    },
    kill: () => {
      if (owned) signal(pid, "SIGQUIT")
    },
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one. */
async function stop(pid: number): Promise<void> {
  if (!signal(pid, "SIGINT")) return
  const gone = untilExited(pid, POLL_MS)
  const isGone = await Promise.race([gone.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })])
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

/** Waits until a process, child or not, has exited. The slow watch does not keep this process running. */
async function untilExited(pid: number, everyMs: number): Promise<void> {
  while (isAlive(pid)) await sleep(everyMs, undefined, { ref: everyMs === POLL_MS })
}
