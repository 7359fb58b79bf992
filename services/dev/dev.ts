import { constants } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { type DevCommand, startDevSystem } from "./start-dev-system.ts"
import { emptyDirectory, prepareDirectory } from "./directory.ts"
import { withCompileCache } from "./compile-cache.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { onStopRequest } from "./stop-request.ts"
import { layout } from "./layout.ts"
import { takeLock } from "./lock.ts"
import { readSystemSettings } from "./settings.ts"
import { createSystem } from "./system.ts"

/** A process exit is noticed shortly after the call that failed because of it. */
const EXIT_NOTICE_MS = 300

/** Runs the development system until a stop is requested; a second request ends it at once. If one process ends, all are stopped. */
export async function dev(order: DevCommand): Promise<void> {
  const { terminal, options } = order
  requireIntactRelease("everything")
  const environment = withCompileCache(order.environment)
  const settings = await readSystemSettings(environment)
  const places = layout(settings.dataDirectory)
  await prepareDirectory(places)
  const lock = await takeLock(places.lock)
  const system = createSystem(terminal.log, lock.recordPid)
  const onSecond = (signal: NodeJS.Signals) => {
    system.kill()
    process.exit(128 + constants.signals[signal])
  }
  const interruption = onStopRequest({ environment, log: terminal.log, onSecond })
  const failure = new AbortController()
  let work: Promise<void> | undefined
  try {
    if (options.reset) await emptyDirectory(places, settings, terminal.log)
    const signal = AbortSignal.any([interruption.signal, failure.signal])
    work = startDevSystem({ ...order, environment, settings, layout: places, system, signal })
    await Promise.race([work, system.broken, interruption.requested])
    await Promise.race([system.broken, interruption.requested])
  } catch (error) {
    // If a process has ended, that is the cause: `broken` rejects with it.
    await Promise.race([system.broken, pause(EXIT_NOTICE_MS)])
    throw error
  } finally {
    failure.abort()
    await work?.catch(() => undefined)
    await system.stop()
    await lock.release()
    interruption.dispose()
  }
}
