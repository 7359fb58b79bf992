// Simulates power cuts for files to which a process appends: a power cut removes every byte that no fsync covered. This module must be
// imported before modules that import fsync from node:fs.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"

/** Sizes up to which files were synced, by device and inode. */
const synced = new Map<string, number>()
const nameOf = ({ dev, ino }: { dev: number; ino: number }) => `${dev}:${ino}`

const { fsync, fsyncSync } = fs
/** An injected fault: no sync reaches the disk. */
let isIgnored = false

function note(descriptor: number): void {
  const stat = fs.fstatSync(descriptor)
  if (!isIgnored) synced.set(nameOf(stat), stat.size)
}

// Bytes in the file when a sync begins are durable once it ends. They are counted at its beginning, so that a run does not depend on the
// speed of the machine.
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

/** Importers call this, so that the import of this module is not removed as unused. @throws Error if fsync was replaced since */
export function requireWatched(): void {
  if (fs.fsync !== (noted as typeof fsync)) throw new Error("syncs of files are not watched")
}

export function ignoreSyncs(ignored: boolean): void {
  isIgnored = ignored
}

/** Cuts the files of a directory whose names begin with `prefix` to their synced sizes. */
export function cutUnsynced(directory: string, prefix: string): void {
  if (!fs.existsSync(directory)) return
  for (const name of fs.readdirSync(directory)) {
    if (!name.startsWith(prefix)) continue
    const file = join(directory, name)
    const stat = fs.statSync(file)
    fs.truncateSync(file, Math.min(stat.size, synced.get(nameOf(stat)) ?? 0))
  }
}
