import { existsSync, readFileSync } from "node:fs"

/** A file of the copied store. `suffix`: what follows the database's name, "" or "-wal". */
export type StoreFile = { suffix: string; bytes: Buffer }

/** The write-ahead log's header, with its salts (SQLite, "WAL file format", 4.1). */
const HEADER_BYTES = 32
const ATTEMPTS = 20

/**
 * The store of codes while a fetcher has it open, which keeps its lock. Pages of the database are only replaced by those that the
 * write-ahead log has. So the database and then the log are the store, unless the log was begun anew meanwhile: its salts tell.
 * @throws {Error} if it was begun anew each time
 */
export function copyStore(file: string): StoreFile[] {
  const log = `${file}-wal`
  const saltsNow = () => (existsSync(log) ? readFileSync(log).subarray(0, HEADER_BYTES) : Buffer.alloc(0))
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (!existsSync(file)) return []
    const salts = saltsNow()
    const database = readFileSync(file)
    const frames = existsSync(log) ? readFileSync(log) : Buffer.alloc(0)
    // The header is written before the frames of the new log.
    if (!frames.subarray(0, HEADER_BYTES).equals(salts) || !saltsNow().equals(salts)) continue
    const written = { suffix: "-wal", bytes: frames }
    return [{ suffix: "", bytes: database }, ...(frames.length > 0 ? [written] : [])]
  }
  throw new Error(`${file} changed each time it was copied; give the command again`)
}
