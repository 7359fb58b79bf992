import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { BackupFault, edited } from "../../../signer/core/backup/fault.ts"
import type { PartFile } from "../../../signer/core/backup/tar.ts"
import { counted } from "../../../signer/core/counted.ts"
import type { Database, Transaction } from "../../database/database.ts"
import { applyMigration, beginMigrations, type Migration, MIGRATIONS } from "../store/migrate.ts"
import { isEmptySchema } from "../store/schema.ts"
import { type DatabaseEnd, type DatabaseHead, END_FILE, HEAD_FILE, pieceName } from "./content.ts"
import { copyIn } from "./copy-in.ts"

/** The sum of what was restored. */
export type Restored = { tables: number; rows: number }

type Terms = {
  backupId: string
  deploymentId: string
  /** Takes the files after the tables, before the transaction ends. */
  others: (files: AsyncIterable<PartFile>) => Promise<void>
  /** True: into a schema of its own, and nothing of it is kept. */
  isRehearsal?: boolean
}

/**
 * Restores a database's part into an empty database, in one transaction: the schema of the backup's migrations, its rows and its
 * sequences. No trigger runs.
 * @throws {BackupFault} and nothing was changed
 */
export async function restoreDatabase(
  sql: Database,
  files: AsyncIterable<PartFile>,
  terms: Terms,
): Promise<Restored> {
  const done: { error?: unknown; restored?: Restored } = {}
  try {
    return await sql.begin(async (tx) => {
      if (terms.isRehearsal === true) await beginRehearsal(tx)
      const restored = await restoreIn(tx, new FileReader(files), terms).catch((error: unknown) => {
        done.error = error
        throw error
      })
      if (terms.isRehearsal !== true) return restored
      done.restored = restored
      throw new Error("a rehearsal is rolled back")
    })
  } catch (error) {
    if (done.restored !== undefined) return done.restored
    // The driver cannot roll back within a copy, and would name that.
    throw done.error ?? error
  }
}

/** The schema ends with the transaction, also when the process or its connection is killed. */
async function beginRehearsal(tx: Transaction): Promise<void> {
  await tx`create schema countersign_rehearsal`
  await tx`set local search_path to countersign_rehearsal`
}

async function restoreIn(
  tx: Transaction,
  files: FileReader,
  { backupId, deploymentId, others }: Terms,
): Promise<Restored> {
  if (!(await isEmptySchema(tx)))
    throw new BackupFault(
      "BACKUP_TARGET_USED",
      "the database has tables already. Nothing was changed: name an empty one in DATABASE_URL, which no API was started with",
    )
  const head = await files.json<DatabaseHead>(HEAD_FILE)
  if (head.deploymentId !== deploymentId)
    throw new BackupFault(
      "BACKUP_FOREIGN",
      `the database's part is of deployment ${head.deploymentId}, and the backup of ${deploymentId}. Take the part of that deployment`,
    )
  await applyExactly(tx, head.migrations)
  await files.skipTo((name) => name.startsWith("tables/") || name === END_FILE)
  let rows = 0
  for (const { name, columns } of head.tables) {
    await tx`alter table ${tx(name)} disable trigger user`
    const pieces = files.pieces((number) => pieceName(name, number))
    await copyIn(tx, name, columns, pieces)
    await tx`alter table ${tx(name)} enable trigger user`
  }
  const end = await files.json<DatabaseEnd>(END_FILE)
  for (const { name } of head.tables) {
    const [found] = await tx<{ count: number }[]>`select count(*)::float8 as count from ${tx(name)}`
    const count = found?.count ?? 0
    if (count !== end.rows[name])
      throw edited(`${name} has ${counted(count, "row")}, and the backup states ${String(end.rows[name])}`)
    rows += count
  }
  for (const [name, { value, isCalled }] of Object.entries(end.sequences))
    await tx`select setval(quote_ident(${name})::regclass, ${value}::bigint, ${isCalled})`
  await tx.unsafe("analyze")
  await tx.unsafe(`comment on table migrations is '${markOf(backupId)}'`)
  await others(files.rest())
  return { tables: head.tables.length, rows }
}

const markOf = (backupId: string): string => `restored from backup ${backupId}`

/** True if this database was restored from this backup. */
export async function isRestoredFrom(sql: Database, backupId: string): Promise<boolean> {
  const [row] = await sql<{ comment: string | null }[]>`
    select obj_description(to_regclass('migrations'), 'pg_class') as comment`
  return row?.comment === markOf(backupId)
}

/** @throws {BackupFault} BACKUP_FORMAT_UNKNOWN */
async function applyExactly(tx: Transaction, migrations: readonly Migration[]): Promise<void> {
  await beginMigrations(tx)
  for (const migration of migrations) {
    const text = await readFile(join(MIGRATIONS, migration.name), "utf8").catch(() => undefined)
    if (text === undefined || createHash("sha256").update(text).digest("hex") !== migration.sha256)
      throw new BackupFault(
        "BACKUP_FORMAT_UNKNOWN",
        `this release has no migration ${migration.name} as the backup's database has it. Use the release that made the backup`,
      )
    await applyMigration(tx, text, migration)
  }
}

/** The files of a part, one after the other. */
class FileReader {
  readonly #iterator: AsyncIterator<PartFile>
  #next: Promise<PartFile | undefined> | undefined

  constructor(files: AsyncIterable<PartFile>) {
    this.#iterator = files[Symbol.asyncIterator]()
  }

  /** The next file, which stays the next one. */
  async #peek(): Promise<PartFile | undefined> {
    this.#next ??= this.#iterator.next().then(({ done, value }) => (done === true ? undefined : value))
    return this.#next
  }

  async *pieces(nameOf: (number: number) => string): AsyncGenerator<Uint8Array> {
    for (let number = 0; ; number++) {
      const file = await this.#peek()
      if (file?.name !== nameOf(number)) return
      yield* file.content
      this.#next = undefined
    }
  }

  /** @throws {BackupFault} BACKUP_EDITED: the next file has another name */
  async json<T>(name: string): Promise<T> {
    const file = await this.#peek()
    if (file?.name !== name)
      throw edited(`the database's part has ${file?.name ?? "its end"} where ${name} belongs`)
    const pieces: Uint8Array[] = []
    for await (const bytes of file.content) pieces.push(bytes)
    this.#next = undefined
    return JSON.parse(Buffer.concat(pieces).toString()) as T
  }

  async skipTo(isWanted: (name: string) => boolean): Promise<void> {
    for (;;) {
      const file = await this.#peek()
      if (file === undefined || isWanted(file.name)) return
      this.#next = undefined
    }
  }

  async *rest(): AsyncGenerator<PartFile> {
    for (;;) {
      const file = await this.#peek()
      if (file === undefined) return
      this.#next = undefined
      yield file
    }
  }
}
