import { join } from "node:path"
import type { Database } from "../../services/database/database.ts"
import { sizeOf } from "../../signer/enclave/ledger/files.ts"

/** Bytes on disk: of each table with its indexes and overlong values, and of the ledger's files. */
export type Sizes = { tables: Record<string, number>; ledger: number }

export async function sizesOf(sql: Database, directory: string): Promise<Sizes> {
  const tables = await sql<{ name: string; bytes: bigint }[]>`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`
  return {
    tables: Object.fromEntries(tables.map(({ name, bytes }) => [name, Number(bytes)])),
    ledger: sizeOf(join(directory, "signer", "ledger")),
  }
}

/** Growth from one measurement to the next, bytes for each of `count` things. Tables that did not grow are left out. */
export function growthOf(before: Sizes, after: Sizes, count: number): Sizes {
  const tables = Object.entries(after.tables)
    .map(([name, bytes]): [string, number] => [name, (bytes - (before.tables[name] ?? 0)) / count])
    .filter(([, bytes]) => bytes > 0)
    .toSorted(([, one], [, other]) => other - one)
  return { tables: Object.fromEntries(tables), ledger: (after.ledger - before.ledger) / count }
}

/** Bytes of all tables. */
export function databaseBytes({ tables }: Pick<Sizes, "tables">): number {
  return Object.values(tables).reduce((sum, bytes) => sum + bytes, 0)
}
