import { existsSync, readdirSync, rmSync } from "node:fs"
import { cp, mkdir, open, rename, rm, rmdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { BackupFault } from "../backup/fault.ts"
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
  if (!isCommitted(scratch)) {
    const mark = await open(join(scratch, COMMITTED), "wx", 0o600)
    await mark.sync()
    await mark.close()
    await syncFolder(scratch)
  }
  for (const { name, path } of places) {
    const from = join(scratch, name)
    if (existsSync(from)) await place(from, path)
  }
  rmSync(scratch, { recursive: true, force: true })
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  // An empty folder may be there; anything else was refused before.
  await rmdir(to).catch(() => undefined)
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error
    await rm(`${to}.new`, { recursive: true, force: true })
    await cp(from, `${to}.new`, { recursive: true })
    await rename(`${to}.new`, to)
    await rm(from, { recursive: true })
  }
  await syncFolder(dirname(to))
}
