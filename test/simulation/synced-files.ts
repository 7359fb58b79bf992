// What a power cut leaves of files to which a process appends: a part that no fsync has covered is gone. Imported before the modules
// that take fsync from node:fs.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"

/** Sizes up to which files were synced, by device and inode. */
const synced = new Map<string, number>()
const nameOf = ({ dev, ino }: { dev: number; ino: number }) => `${dev}:${ino}`

const { fsync, fsyncSync } = fs
/** The simulation's fault: no sync reaches the disk. */
let isIgnored = false

function note(descriptor: number): void {
  const stat = fs.fstatSync(descriptor)
  if (!isIgnored) synced.set(nameOf(stat), stat.size)
}

// What is in the file when a sync begins is durable once it ends. A simulation that asked when it ends would depend on the machine.
const noted = (descriptor: number, done: fs.NoParamCallback) => {
  note(descriptor)
  fsync(descriptor, done)
}
fs.fsync = noted as typeof fsync
fs.fsyncSync = (descriptor) => {
  note(descriptor)
  fsyncSync(descriptor)
}
syncBuiltinESMExports()

/** Nothing to do: an import by name keeps this module the first that is loaded. @throws Error if another one replaced fsync since */
export function requireWatched(): void {
  if (fs.fsync !== (noted as typeof fsync)) throw new Error("syncs of files are not watched")
}

export function ignoreSyncs(ignored: boolean): void {
  isIgnored = ignored
}

/** Cuts the files of a directory whose names begin so to what was synced. */
export function cutUnsynced(directory: string, prefix: string): void {
  if (!fs.existsSync(directory)) return
  for (const name of fs.readdirSync(directory)) {
    if (!name.startsWith(prefix)) continue
    const file = join(directory, name)
    const stat = fs.statSync(file)
    fs.truncateSync(file, Math.min(stat.size, synced.get(nameOf(stat)) ?? 0))
  }
}
