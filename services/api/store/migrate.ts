import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { REFUSED, StartError } from "../../../signer/core/settings/start-fault.ts"
import type { Database, Queries, Transaction } from "../../database/database.ts"

export const MIGRATIONS = join(import.meta.dirname, "migrations")

/** Number of the advisory lock ("csgn"), which no other program of this database may use. */
const LOCK = 0x6373676e

/** A file that was applied. */
export type Migration = { name: string; sha256: string }

/**
 * Brings the schema up to date: applies the new files of the directory, in the order of their names, in one transaction.
 * Processes that start together wait for each other. A file that was altered after it was applied is refused, because the
 * schema would differ from the files. A database with files of a later release is refused too. Returns the names of the applied
 * files.
 *
 * @throws {StartError} refused: the database was migrated by a later release
 */
export async function migrate(sql: Database, directory = MIGRATIONS): Promise<string[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).toSorted()
  return sql.begin(async (tx) => {
    await beginMigrations(tx)
    const known = new Map((await appliedMigrations(tx)).map((m) => [m.name, m.sha256]))
    requireKnown([...known.keys()], files)
    const applied: string[] = []
    for (const name of files) {
      const text = await readFile(join(directory, name), "utf8")
      const sha256 = createHash("sha256").update(text).digest("hex")
      if (known.get(name) === sha256) continue
      if (known.has(name)) throw new Error(`migration ${name} was altered after it had been applied`)
      await applyMigration(tx, text, { name, sha256 })
      applied.push(name)
    }
    return applied
  })
}

/** Processes that migrate a database wait for each other. */
export async function beginMigrations(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`
  await tx`create table if not exists migrations (name text primary key, sha256 text not null)`
}

export async function applyMigration(
  tx: Transaction,
  text: string,
  { name, sha256 }: Migration,
): Promise<void> {
  await tx.unsafe(text)
  await tx`insert into migrations (name, sha256) values (${name}, ${sha256})`
}

/** The applied files, in the order of their names. */
export async function appliedMigrations(sql: Queries): Promise<Migration[]> {
  return sql<Migration[]>`select name, sha256 from migrations order by name collate "C"`
}

function requireKnown(applied: readonly string[], files: readonly string[]): void {
  const later = applied.filter((name) => !files.includes(name)).toSorted()
  if (later.length === 0) return
  throw new StartError(
    REFUSED,
    `the database was migrated by a later release (${later.join(", ")}); start that release, or give this one the ` +
      "database from before the upgrade or an empty one, which it restores from the ledger",
  )
}

export type PlannedMigration = { name: string; state: "applied" | "pending" | "altered" | "unknown" }

/**
 * The files of the directory, and whether the database has them; then those of a later release that it has. It changes
 * nothing, in a database without tables too.
 */
export async function planMigrations(sql: Database, directory = MIGRATIONS): Promise<PlannedMigration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).toSorted()
  const [found] = await sql<{ isThere: boolean }[]>`select to_regclass('migrations') is not null as "isThere"`
  const rows = found?.isThere ? await appliedMigrations(sql) : []
  const known = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  const unknown = [...known.keys()].filter((name) => !files.includes(name)).toSorted()
  const planned = await Promise.all(
    files.map(async (name) => {
      const sha256 = known.get(name)
      if (sha256 === undefined) return { name, state: "pending" as const }
      const text = await readFile(join(directory, name), "utf8")
      const isSame = createHash("sha256").update(text).digest("hex") === sha256
      return { name, state: isSame ? ("applied" as const) : ("altered" as const) }
    }),
  )
  return [...planned, ...unknown.map((name) => ({ name, state: "unknown" as const }))]
}
