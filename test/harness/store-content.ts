import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import type { Database } from "../../services/database/database.ts"
import { patienceMs } from "./patience.ts"

/** Content of a store by table: row count, and a digest of all rows. */
export type Content = { [table: string]: { rows: number; digest: string } }

/** Table of the ledger that stores the clock: it changes with every call. */
const CLOCK_TABLE = "deployment"
const PATIENCE_MS = patienceMs(30_000)
const POLL_MS = 25

/** Content of every table of the API tier's database. */
export async function databaseContent(sql: Database): Promise<Content> {
  const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`
  const content: Content = {}
  for (const { name } of tables) {
    const [found] = await sql<{ rows: number; digest: string }[]>`select count(*)::int as rows,
      md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${sql(name)} t`
    if (found !== undefined) content[name] = { ...found }
  }
  return content
}

/**
 * Content of every table of a running signer's ledger except the clock's, once every outcome is
 * acknowledged. Read from a copy: the signer holds the files for itself.
 */
export async function ledgerContent(directory: string): Promise<Content> {
  for (const giveUp = performance.now() + PATIENCE_MS; performance.now() < giveUp; ) {
    const { content, unacknowledged } = readCopy(directory)
    if (unacknowledged === 0) return content
    await pause(POLL_MS)
  }
  throw new Error("an outcome is still not acknowledged")
}

function readCopy(directory: string): { content: Content; unacknowledged: number } {
  const copy = mkdtempSync(join(tmpdir(), "cs-ledger-"))
  try {
    for (const file of ["ledger.sqlite", "ledger.sqlite-wal"]) {
      if (existsSync(join(directory, file))) copyFileSync(join(directory, file), join(copy, file))
    }
    const ledger = new DatabaseSync(join(copy, "ledger.sqlite"))
    try {
      return { content: contentOf(ledger), unacknowledged: unacknowledgedIn(ledger) }
    } finally {
      ledger.close()
    }
  } finally {
    rmSync(copy, { recursive: true })
  }
}

function contentOf(ledger: DatabaseSync): Content {
  const tables = ledger.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  return Object.fromEntries(
    tables
      .map((row) => String(row["name"]))
      .filter((name) => name !== CLOCK_TABLE)
      .map((name) => {
        const rows = ledger.prepare(`SELECT * FROM ${name}`).all()
        return [name, { rows: rows.length, digest: digestOf(rows) }]
      }),
  )
}

function digestOf(rows: readonly object[]): string {
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex")
}

function unacknowledgedIn(ledger: DatabaseSync): number {
  const found = ledger.prepare("SELECT count(*) AS waiting FROM entry WHERE kind = 'outcome'").get()
  return Number(found?.["waiting"])
}
