import { setTimeout as pause } from "node:timers/promises"
import type { Logger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, type DatabaseConfig, sqlState } from "./database.ts"
import { isDatabaseUnavailable } from "./faults.ts"

/** One connection for all attempts; each attempt takes at most 3 s. */
const ASKING = { max: 1, applicationName: "countersign-start", statementTimeoutMs: 2_000 }

const PAUSE_MS = 500

/** SQLSTATE classes of a login that is refused: another attempt is refused too. */
const LOGIN_REFUSED = /^(?:28|3D)/

/** Monotonic milliseconds, and a pause by them that ends early with the signal. */
type Clock = { elapsedMs(): number; pause(ms: number, stop: AbortSignal): Promise<unknown> }

const SYSTEM_CLOCK: Clock = {
  elapsedMs: () => performance.now(),
  pause: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
}

type Wait = { config: DatabaseConfig; waitMs: number; log: Logger; stop: AbortSignal; clock?: Clock }

/**
 * Waits at a process's start until the database answers: after a restart of the host it may come later. Ends early when the
 * process is asked to stop.
 *
 * @throws the fault of the latest attempt once the time is over; at once for a login that is refused
 */
export async function waitForDatabase({
  config,
  waitMs,
  log,
  stop,
  clock = SYSTEM_CLOCK,
}: Wait): Promise<void> {
  const sql = connectDatabase(config, ASKING)
  const endMs = clock.elapsedMs() + waitMs
  let isLogged = false
  try {
    while (!stop.aborted) {
      try {
        await sql`select 1`
        return
      } catch (error) {
        const mayPass = isDatabaseUnavailable(error) && !LOGIN_REFUSED.test(sqlState(error) ?? "")
        if (!mayPass || clock.elapsedMs() >= endMs) throw error
        if (!isLogged) log.warn({ err: error }, `waiting up to ${waitMs / 1000} s for the database`)
        isLogged = true
        await clock.pause(PAUSE_MS, stop)
      }
    }
  } finally {
    await closeDatabase(sql, 0)
  }
}
