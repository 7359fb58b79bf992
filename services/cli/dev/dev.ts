import { setTimeout as pause } from "node:timers/promises"
import type { Terminal } from "../terminal.ts"
import { bringUp } from "./bring-up.ts"
import { emptyDirectory, prepareDirectory } from "./directory.ts"
import { onInterruption } from "./interruption.ts"
import { layout } from "./layout.ts"
import { takeLock } from "./lock.ts"
import { readSystemSettings } from "./settings.ts"
import { createSystem } from "./system.ts"

export type DevOptions = { reset?: boolean; seed?: boolean }

export type Dev = {
  options: DevOptions
  environment: NodeJS.ProcessEnv
  terminal: Terminal
}

/** A member's death is noticed a moment after the call that failed because of it. */
const CAUSE_PATIENCE_MS = 300

/** Runs the whole system until it is told to stop. Either all of it runs, or nothing does. */
export async function dev(order: Dev): Promise<void> {
  const { environment, terminal, options } = order
  const settings = await readSystemSettings(environment)
  const places = layout(settings.dataDirectory)
  await prepareDirectory(places)
  const lock = await takeLock(places.lock)
  const interruption = onInterruption(environment, terminal.talk)
  const system = createSystem(terminal.talk, lock.note)
  const failure = new AbortController()
  let work: Promise<void> | undefined
  try {
    if (options.reset) await emptyDirectory(places, settings, terminal.talk)
    const signal = AbortSignal.any([interruption.signal, failure.signal])
    work = bringUp({ ...order, settings, layout: places, system, signal })
    await Promise.race([work, system.broken, interruption.told])
    await Promise.race([system.broken, interruption.told])
  } catch (error) {
    // Rejects with the deeper reason if there is one.
    await Promise.race([system.broken, pause(CAUSE_PATIENCE_MS)])
    throw error
  } finally {
    failure.abort()
    await work?.catch(() => undefined)
    await system.stop()
    await lock.release()
    interruption.dispose()
  }
}
