import { existsSync, statSync } from "node:fs"
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { startEmbeddedPostgres } from "./embedded-postgres.ts"
import { CliError, ExitCode } from "../exit.ts"
import type { Settings } from "../settings.ts"
import { writeEnvFile } from "./env-file.ts"
import type { Layout } from "./layout.ts"

/** Why nothing can be made there: what there is of the path must be a directory. */
export function faultsOfPlace(directory: string): string[] {
  let path = directory
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return []
  return [`COUNTERSIGN_DATA_DIR: ${directory} is a file, or lies below one`]
}

/** Makes the data directory, and marks it as ours if there was nothing in it. */
export async function prepareDirectory({ directory, mark, logs }: Layout): Promise<void> {
  // As root the database runs as another user, who has to pass through here; what is secret lies deeper.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await mkdir(directory, { recursive: true, mode })
  if ((await readdir(directory)).length === 0) {
    await writeFile(mark, "Made by countersign dev. Not for real funds.\n", { mode: 0o600 })
  }
  await mkdir(logs, { recursive: true, mode: 0o700 })
}

/** Forgets everything, but for the lock that is held meanwhile. */
export async function emptyDirectory(
  places: Layout,
  { envFile, databaseUrl }: Settings,
  talk: (line: string) => void,
): Promise<void> {
  const { directory, mark, lock, logs } = places
  await stat(mark).catch((cause: unknown) => {
    const fact = `${directory} was not made by countersign dev, so --reset leaves it alone`
    throw new CliError(ExitCode.refused, `${fact}. If nothing in it matters, delete it by hand`, { cause })
  })
  if (databaseUrl) talk("DATABASE_URL is not ours to empty: what old organizations left in it stays there")
  await forgetDatabase(places, talk)
  const kept = [lock, mark, logs].map((path) => basename(path))
  for (const name of await readdir(directory)) {
    if (!kept.includes(name)) await rm(join(directory, name), { recursive: true, force: true })
  }
  await writeEnvFile(envFile, undefined)
}

/**
 * A database may have outlived a `dev` that was killed, or live elsewhere: only its own launcher knows. So it
 * is taken over, stopped, and deleted where it is.
 */
async function forgetDatabase({ postgres }: Layout, talk: (line: string) => void): Promise<void> {
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
    talk(`the old database did not start before it was deleted: ${(error as Error).message}`)
  }
}
