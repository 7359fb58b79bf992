import { existsSync, statSync } from "node:fs"
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { startEmbeddedPostgres } from "./embedded-postgres.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { Settings } from "../terminal-client/settings.ts"
import { writeEnvFile } from "./env-file.ts"
import type { Layout } from "./layout.ts"

/** Faults of a data directory whose path leads through a file. */
export function dataDirectoryFaults(directory: string): string[] {
  let path = directory
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return []
  return [`COUNTERSIGN_DATA_DIR: ${directory} is a file or lies below one`]
}

/** Creates the data directory, and marks it as made by `dev` if it was empty. */
export async function prepareDirectory({ directory, mark, logs }: Layout): Promise<void> {
  // Started as root, the database runs as another user, which must traverse this directory. Secrets lie deeper.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await mkdir(directory, { recursive: true, mode })
  if ((await readdir(directory)).length === 0) {
    await writeFile(mark, "Made by countersign dev. Not for real funds.\n", { mode: 0o600 })
  }
  await mkdir(logs, { recursive: true, mode: 0o700 })
}

/** Deletes all data except lock, mark and logs. */
export async function emptyDirectory(
  places: Layout,
  { envFile, databaseUrl }: Settings,
  log: (line: string) => void,
): Promise<void> {
  const { directory, mark, lock, logs } = places
  await stat(mark).catch((cause: unknown) => {
    const fact = `${directory} was not created by countersign dev, so --reset does not delete it`
    throw new CliError(ExitCode.refused, `${fact}. If you do not need its content, delete it yourself`, {
      cause,
    })
  })
  if (databaseUrl) log("--reset does not empty the database of DATABASE_URL: old organizations stay in it")
  await deleteDatabase(places, log)
  const kept = [lock, mark, logs].map((path) => basename(path))
  for (const name of await readdir(directory)) {
    if (!kept.includes(name)) await rm(join(directory, name), { recursive: true, force: true })
  }
  await writeEnvFile(envFile, undefined)
}

/**
 * Stops and deletes the embedded database. It may still run after a killed `dev`, or lie elsewhere: its launcher finds
 * it.
 */
async function deleteDatabase({ postgres }: Layout, log: (line: string) => void): Promise<void> {
  const isThere = await stat(postgres).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  try {
    const database = await startEmbeddedPostgres({ directory: postgres, log: () => undefined })
    await database.stop()
    await rm(database.home, { recursive: true, force: true })
  } catch (error) {
    log(`the old database did not start before it was deleted: ${(error as Error).message}`)
  }
}
