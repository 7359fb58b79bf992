import type { Queries } from "../../database/database.ts"

/** A checkpoint of the signer's log, as its note. */
export type LogHead = { origin: string; size: number; note: Uint8Array }

/** The largest checkpoint that was stored of a log. */
export async function storedLogHead(sql: Queries, origin: string): Promise<LogHead | undefined> {
  const [row] = await sql<{ size: bigint; note: Uint8Array }[]>`
    select size, note from log_heads where origin = ${origin}`
  return row && { origin, size: Number(row.size), note: row.note }
}

/** Stores a checkpoint, unless a larger one is stored. */
export async function storeLogHead(sql: Queries, { origin, size, note }: LogHead): Promise<void> {
  await sql`
    insert into log_heads (origin, size, note) values (${origin}, ${size}, ${note})
    on conflict (origin) do update set size = excluded.size, note = excluded.note
    where log_heads.size < excluded.size`
}
