import { join } from "node:path"
import type { Readable } from "node:stream"
import type { PartFile } from "../../../signer/core/backup/tar.ts"
import { partFile, partSettings, partText } from "../../../signer/core/backup-files/folder.ts"
import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"
import type { Database, Transaction } from "../../database/database.ts"
import { ExportFolder } from "../exports/export-files.ts"
import { appliedMigrations, planMigrations } from "../store/migrate.ts"
import {
  type DatabaseEnd,
  type DatabaseHead,
  END_FILE,
  EXPORTS,
  HEAD_FILE,
  PIECE_BYTES,
  pieceName,
} from "./content.ts"
import { SEQUENCES, TABLES } from "../store/tables.ts"

/** The sum of what was copied. */
export type Copied = { tables: number; rows: number; exports: number }

type Sources = { exports: string; environment: NodeJS.ProcessEnv; copied: Copied }

/**
 * Hands the files of the database's part to `use`, all tables as they are at one moment. At most one piece of a table is in memory.
 * @throws {StartError} refused: the database is not of this release, or of no deployment
 */
export async function copyDatabase<T>(
  sql: Database,
  { exports, environment, copied }: Sources,
  use: (files: AsyncIterable<PartFile>) => Promise<T>,
): Promise<T> {
  const [missing] = (await planMigrations(sql)).filter(({ state }) => state !== "applied")
  if (missing)
    throw new StartError(
      REFUSED,
      `the database is not of this release (${missing.name}): start its API first`,
    )
  const failed: { error?: unknown } = {}
  try {
    const result = await sql.begin("isolation level repeatable read read only", (tx) =>
      use(filesOf(tx, { exports, environment, copied })).catch((error: unknown) => {
        failed.error = error
        throw error
      }),
    )
    return result as T
  } catch (error) {
    // The driver cannot roll back within a copy, and would name that.
    throw failed.error ?? error
  }
}

async function* filesOf(
  tx: Transaction,
  { exports, environment, copied }: Sources,
): AsyncGenerator<PartFile> {
  const head = await readHead(tx)
  yield partText(HEAD_FILE, JSON.stringify(head))
  yield partSettings(environment)
  const rows: { [table: string]: number } = {}
  for (const { name, columns } of head.tables) {
    rows[name] = yield* piecesOf(tx, name, columns)
    copied.tables += 1
    copied.rows += rows[name]
  }
  const end: DatabaseEnd = { rows, sequences: await readSequences(tx) }
  yield partText(END_FILE, JSON.stringify(end))
  // A file that was recorded by the snapshot is whole. Files that came since repeat activities that the copy has.
  for (const name of await new ExportFolder(exports).names()) {
    yield await partFile(`${EXPORTS}/${name}`, join(exports, name))
    copied.exports += 1
  }
}

/** @throws {StartError} refused: the database is of no deployment */
async function readHead(tx: Transaction): Promise<DatabaseHead> {
  // The first statement takes the snapshot.
  const [deployment] = await tx<{ id: string }[]>`select id from deployment`
  if (deployment === undefined)
    throw new StartError(REFUSED, "the database is of no deployment yet: start its API first")
  const columns = await tx<{ table: string; name: string }[]>`
    select c.relname as table, a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
      and not a.attisdropped and a.attgenerated = '' order by c.relname, a.attnum`
  return {
    deploymentId: deployment.id,
    migrations: await appliedMigrations(tx),
    tables: TABLES.map((name) => ({
      name,
      columns: columns.filter(({ table }) => table === name).map((column) => column.name),
    })),
  }
}

const LINE_FEED = 0x0a

/** A table's rows in PostgreSQL's text format, cut into pieces anywhere. @returns the number of rows */
async function* piecesOf(
  tx: Transaction,
  table: string,
  columns: readonly string[],
): AsyncGenerator<PartFile, number> {
  let [rows, number, length] = [0, 0, 0]
  let held: Buffer[] = []
  const piece = (): PartFile => {
    const [size, content] = [length, held]
    ;[held, length] = [[], 0]
    return { name: pieceName(table, number++), size, content: eachOf(content) }
  }
  const stream = await tx`copy ${tx(table)} (${tx([...columns])}) to stdout`.readable()
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    // Line feeds in values are escaped: each one ends a row.
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) rows += 1
    for (let at = 0; at < bytes.length; ) {
      const some = Buffer.from(bytes.subarray(at, at + PIECE_BYTES - length))
      held.push(some)
      length += some.length
      at += some.length
      if (length === PIECE_BYTES) yield piece()
    }
  }
  // The driver stops reading from the server when rows wait, and an ended stream never asks for more: the next answer would not come.
  resume(stream)
  if (length > 0) yield piece()
  return rows
}

function resume(stream: Readable): void {
  // oxlint-disable-next-line no-underscore-dangle -- the stream's own name for it (Node.js, implementing a readable stream)
  stream._read(0)
}

async function* eachOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

/** Sequences know no transactions: each is at least as far as the rows of the copy. */
async function readSequences(tx: Transaction): Promise<DatabaseEnd["sequences"]> {
  const sequences: { [name: string]: { value: string; isCalled: boolean } } = {}
  for (const name of SEQUENCES) {
    const [row] = await tx<{ value: bigint; isCalled: boolean }[]>`
      select last_value as value, is_called as "isCalled" from ${tx(name)}`
    sequences[name] = { value: String(row!.value), isCalled: row!.isCalled }
  }
  return sequences
}
