import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs"
import { join } from "node:path"

/** A ledger is a directory (0700) with three files (0600), one of them a lock, and SQLite's log beside the database. */
export type LedgerFiles = { directory: string; database: string; witness: string }

export function ledgerFiles(directory: string): LedgerFiles {
  return { directory, database: join(directory, "ledger.sqlite"), witness: join(directory, "ledger.witness") }
}

/** A file of one page without content. The process that has it locked has the ledger. */
export function lockFile(database: string): string {
  return `${database}-lock`
}

/** The witness of a ledger that is being carried over to this format: it takes the other's place after the transaction. */
export function nextWitness({ witness }: Pick<LedgerFiles, "witness">): string {
  return `${witness}-next`
}

/** Size of the ledger's files, bytes. */
export function sizeOf(directory: string): number {
  const { database, witness } = ledgerFiles(directory)
  const sizes = [database, `${database}-wal`, witness].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  )
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
}

/**
 * The disk of a directory, in bytes. `free`: this user can still write them. `all`: free and used ones. Blocks that are reserved for root are
 * in neither, as in `df`. Both are 0 if the directory cannot be read.
 */
export function diskOf(directory: string): { free: bigint; all: bigint } {
  try {
    const { bavail, bfree, blocks, bsize } = statfsSync(directory, { bigint: true })
    return { free: bavail * bsize, all: (blocks - bfree + bavail) * bsize }
  } catch {
    return { free: 0n, all: 0n }
  }
}

export function makeDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
}

/** Creates an empty file that only its owner can read; the log takes its mode from the database. */
export function makeFile(file: string): void {
  const descriptor = openSync(file, "wx", 0o600)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Makes the names in a directory durable; syncing a file does not. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Removes the database last: as long as it exists, the remaining files are recognised as a ledger. */
export function removeFiles(files: LedgerFiles): void {
  const { database, witness } = files
  for (const file of [
    witness,
    nextWitness(files),
    `${database}-wal`,
    `${database}-shm`,
    `${database}-journal`,
    lockFile(database),
    database,
  ])
    rmSync(file, { force: true })
  if (existsSync(files.directory)) syncDirectory(files.directory)
}
