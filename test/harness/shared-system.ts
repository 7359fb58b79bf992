import { atEnd } from "./at-end.ts"
import { freshDatabase } from "./database.ts"
import { System } from "./system.ts"

let shared: Promise<System> | undefined

/**
 * A running system that the test files of one process share, with the usual settings. For tests that create organizations of
 * their own and look at nothing else: one that stops a process, or reads a log or the database, starts its own system.
 */
export function sharedSystem(): Promise<System> {
  return (shared ??= start())
}

async function start(): Promise<System> {
  const { url } = await freshDatabase({ teardown: atEnd })
  const system = await System.start(url)
  system.unref()
  atEnd(() => system.stop())
  return system
}
