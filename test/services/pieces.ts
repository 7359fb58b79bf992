// Counts the rows that each statement changes: where their number has no bound, no statement may change all of them.
import type { Database } from "../../services/database/database.ts"

/** Rows of one statement. */
export type Piece = { table: string; operation: "UPDATE" | "DELETE"; rows: number }

/** Most rows that one statement may change. */
export const MOST_ROWS = 1_000

/** Records the statements that change rows of these tables from now on. `take` returns those since its last call. */
export async function watchPieces(sql: Database, tables: readonly string[]) {
  await sql.unsafe(`
    create table pieces (sequence bigint generated always as identity, name text, operation text, count integer);
    create function note_piece() returns trigger language plpgsql as $$
    begin
      insert into pieces (name, operation, count) select tg_table_name, tg_op, count(*) from changed having count(*) > 0;
      return null;
    end $$;`)
  for (const table of tables)
    for (const operation of ["update", "delete"])
      await sql.unsafe(`
        create trigger note_${operation} after ${operation} on ${table}
        referencing old table as changed for each statement execute function note_piece()`)
  return {
    take: async (): Promise<Piece[]> => [
      ...(await sql<Piece[]>`
        with taken as (delete from pieces returning *)
        select name as "table", operation, count as rows from taken order by sequence`),
    ],
  }
}

/** Rows that the statements changed, by table. */
export function sumOf(pieces: readonly Piece[]): { [table: string]: number } {
  const sums: { [table: string]: number } = {}
  for (const { table, rows } of pieces) sums[table] = (sums[table] ?? 0) + rows
  return sums
}
