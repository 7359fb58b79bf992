import { randomInt } from "node:crypto"
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { CosignedHead, CosignedHeads } from "../core/log/witness.ts"
import { FAULT, LOCKED_OR_UNREACHABLE, StartError } from "../core/settings/start-fault.ts"

const FORMAT = 1

const TABLE =
  "CREATE TABLE head (origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, note BLOB NOT NULL) STRICT"

/** One sync a transaction; one process holds the lock for as long as it runs. */
const PRAGMAS = [
  "locking_mode = EXCLUSIVE",
  "journal_mode = WAL",
  "synchronous = FULL",
  "trusted_schema = OFF",
]

/**
 * The heads that this host cosigned, in an SQLite database. An older copy of it would let a witness cosign a log that was set back:
 * it is not restored from a backup.
 */
export class CosignedHeadStore implements CosignedHeads {
  readonly #database: DatabaseSync

  /** Opens the store; `isNew`: makes it. @throws {StartError} when it is missing, in use or not of this format */
  constructor(file: string, { isNew }: { isNew: boolean }) {
    if (!isNew && !existsSync(file)) throw new StartError(FAULT, `${file} is missing: ${MISSING}`)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const database = new DatabaseSync(file, { timeout: 0, allowExtension: false })
    try {
      open(database, file, isNew)
    } catch (error) {
      database.close()
      throw error
    }
    this.#database = database
  }

  read(origin: string): CosignedHead | undefined {
    const row = this.#database.prepare("SELECT size, root, note FROM head WHERE origin = ?").get(origin)
    if (row === undefined) return undefined
    return { size: row["size"] as number, root: row["root"] as Uint8Array, note: row["note"] as Uint8Array }
  }

  advance(origin: string, oldSize: number, { size, root, note }: CosignedHead): boolean {
    const { changes } =
      oldSize === 0 && this.read(origin) === undefined
        ? this.#database
            .prepare("INSERT OR IGNORE INTO head (origin, size, root, note) VALUES (?, ?, ?, ?)")
            .run(origin, size, root, note)
        : this.#database
            .prepare(
              "UPDATE head SET size = ?, root = ?, note = ? WHERE origin = ? AND size = ? AND size < ?",
            )
            .run(size, root, note, origin, oldSize, size)
    return changes === 1
  }

  /** A random number of this store: a key of it and a seed ends with the store, so that no key cosigns from an empty one. */
  get number(): number {
    return this.#database.prepare("PRAGMA application_id").get()!["application_id"] as number
  }

  /** Each log of which a head was cosigned. */
  all(): { origin: string; size: number }[] {
    return this.#database.prepare("SELECT origin, size FROM head ORDER BY origin").all() as never
  }

  close(): void {
    this.#database.close()
  }
}

const MISSING =
  "without it this witness would cosign a log that was set back; make a new one with another key (countersign-witness init, or " +
  "countersign-fetcher witness-key --init), and tell those who count its cosignatures"

function open(database: DatabaseSync, file: string, isNew: boolean): void {
  const damaged = (why: string) =>
    new StartError(FAULT, `the heads in ${file} cannot be used: ${why}; make a new witness with another key`)
  try {
    for (const pragma of PRAGMAS) database.exec(`PRAGMA ${pragma}`)
    database.exec("BEGIN IMMEDIATE")
    if (isNew)
      database.exec(
        `${TABLE}; PRAGMA user_version = ${FORMAT}; PRAGMA application_id = ${randomInt(1, 2 ** 31)}`,
      )
    database.exec("COMMIT")
    const tables = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").all()
    if (tables.length !== 1 || tables[0]?.["sql"] !== TABLE)
      throw damaged("its tables are not those of its format")
  } catch (error) {
    if (error instanceof StartError) throw error
    const isLocked = (error as { errcode?: number }).errcode === SQLITE_BUSY
    if (isLocked)
      throw new StartError(LOCKED_OR_UNREACHABLE, `${file} is in use: another process with it runs`)
    throw damaged((error as Error).message)
  }
  if (!isNew) return
  chmodSync(file, 0o600)
  const directory = openSync(dirname(file), "r")
  fsyncSync(directory)
  closeSync(directory)
}

const SQLITE_BUSY = 5
