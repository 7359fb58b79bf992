// Rows of every table that names organizations, so that a table that is added later is not forgotten where rows are removed.
import type { Test } from "tap"
import type { Database, Queries } from "../../../../services/database/database.ts"
import { nextId } from "./sample.ts"

/** The tables that name an organization in some column. */
export async function tablesOfOrganizations(sql: Database): Promise<string[]> {
  const columns = await sql<{ table: string }[]>`
    select distinct c.table_name as table from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'uuid' and column_name in
      ('organization_id', 'source_id', 'parent_id', 'family_id', 'deferred_family_id')`
  return columns.map(({ table }) => table)
}

/** Inserts a row of each owner into each table. */
export async function insertRows(
  t: Test,
  sql: Database,
  { tables, owners }: { tables: readonly string[]; owners: readonly string[] },
): Promise<void> {
  await sql.begin(async (tx) => {
    // No trigger and no foreign key.
    await tx`set local session_replication_role = replica`
    for (const table of tables) for (const owner of owners) await insertRow(t, tx, table, owner)
  })
}

/** True if a row of the table has the id of the organization. */
export async function hasRowOf(sql: Database, table: string, owner: string): Promise<boolean> {
  const rows = await sql<{ text: string }[]>`select row_to_json(one)::text as text from ${sql(table)} as one`
  return rows.some(({ text }) => text.includes(owner))
}

/** A row with a value in each column that needs one; `owner` in each column with the id of an organization. */
async function insertRow(t: Test, sql: Queries, table: string, owner: string): Promise<void> {
  const columns = await sql<{ name: string; type: string; isIdentity: string }[]>`
    select column_name as name, data_type as type, is_identity as "isIdentity" from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_nullable = 'NO'`
  const row = columns.flatMap(({ name, type, isIdentity }) => {
    if (isIdentity === "YES") return []
    if (name === "organization_id") return [[name, owner]]
    return [[name, valueOf(type, name)]]
  })
  const named = columns.some(({ name }) => name === "organization_id")
  t.ok(named, `${table} names its organization`)
  await sql`insert into ${sql(table)} ${sql(Object.fromEntries(row) as { [column: string]: string })}`
}

function valueOf(type: string, name: string): unknown {
  if (type === "uuid") return nextId()
  if (type === "bytea") return Buffer.alloc(32, 1)
  if (type === "boolean") return false
  if (type.startsWith("json")) return "{}"
  if (type.startsWith("timestamp")) return new Date(0)
  if (type === "text") return name === "status" ? "FAILED" : `${name} ${nextId()}`
  return 7
}
