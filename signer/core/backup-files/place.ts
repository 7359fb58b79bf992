import { existsSync, readdirSync, rmSync } from "node:fs"
import { cp, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { BackupFault } from "../backup/fault.ts"
import { namingFullDisk } from "./full-disk.ts"
import { syncFolder } from "./output.ts"

/** A file or folder of the scratch folder, and where it belongs. */
export type Place = { readonly name: string; readonly path: string }

/** The folder in which a restoration is made ready, beside the place of its largest part. */
export const scratchOf = (path: string): string => `${path}.restoration-in-progress`

/** @throws {BackupFault} BACKUP_TARGET_USED: one of these files is there, or one of these folders has files */
export function requireUnused(paths: readonly string[], what: string): void {
  const used = paths.find(isUsed)
  if (used === undefined) return
  throw new BackupFault(
    "BACKUP_TARGET_USED",
    `${used} exists already. Nothing was changed: restore onto a host without state of ${what}, or move that aside first`,
  )
}

function isUsed(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    return readdirSync(path).length > 0
  } catch {
    return true
  }
}

/** In the scratch folder once everything in it is whole: from then on its files are moved, whatever happens. */
const COMMITTED = "committed"

export function isCommitted(scratch: string): boolean {
  return existsSync(join(scratch, COMMITTED))
}

/** Moves everything to its place, in order. A second run after a crash moves what is left. */
export async function placeAll(scratch: string, places: readonly Place[]): Promise<void> {
  if (!isCommitted(scratch)) await namingFullDisk(scratch, NOTHING_PLACED, () => commit(scratch))
  for (const { name, path } of places) {
    const from = join(scratch, name)
    if (existsSync(from)) await place(from, path)
  }
  rmSync(scratch, { recursive: true, force: true })
}

const NOTHING_PLACED = "Nothing was placed: make room on it, and give the command again"

async function commit(scratch: string): Promise<void> {
  const mark = await open(join(scratch, COMMITTED), "wx", 0o600)
  await mark.sync()
  await mark.close()
  await syncFolder(scratch)
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  if ((await isFolder(from)) && (await isFolder(to))) return fillFolder(from, to)
  // Where a file belongs an empty folder may be; anything else was refused before.
  await rmdir(to).catch(() => undefined)
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error
    await namingFullDisk(to, GOES_ON, () => placeOnOtherDisk(from, to))
  }
  await syncFolder(dirname(to))
}

/** Moves what one folder holds into another that is there, and keeps that one's owner, group and mode. What it holds already came from a run that was stopped. */
async function fillFolder(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) await place(join(from, name), join(to, name))
  await rmdir(from)
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const GOES_ON = "Not everything is in its place: make room on it, and give the command again, which goes on"

/** A copy gets its name once it is durable. One that has its name was whole when an earlier command ended. */
async function placeOnOtherDisk(from: string, to: string): Promise<void> {
  if (!existsSync(to)) {
    await rm(`${to}.new`, { recursive: true, force: true })
    await cp(from, `${to}.new`, { recursive: true })
    await syncAll(`${to}.new`)
    await rename(`${to}.new`, to)
  }
  await syncFolder(dirname(to))
  await rm(from, { recursive: true })
}

/** Makes files and names below a path durable. */
async function syncAll(path: string): Promise<void> {
  if (!(await stat(path)).isDirectory()) return syncFolder(path)
  for (const name of await readdir(path)) await syncAll(join(path, name))
  await syncFolder(path)
}
