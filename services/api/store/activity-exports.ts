import type { Database } from "../../database/database.ts"

/** A file of exported activities. */
export type ExportedFile = { file: number; digest: Uint8Array; activities: number }

/** The newest file that was recorded. */
export async function lastExport(sql: Database): Promise<ExportedFile | undefined> {
  const [row] = await sql<ExportedFile[]>`
    select file, digest, activities from activity_exports order by file desc limit 1`
  return row
}

/** Records a file, unless it is recorded already. The next file continues the newest one, so nothing needs the rows of those before. */
export async function recordExport(sql: Database, { file, digest, activities }: ExportedFile): Promise<void> {
  await sql`
    insert into activity_exports (file, digest, activities, exported_ms)
    values (${file}, ${digest}, ${activities}, ${Date.now()}) on conflict do nothing`
  await sql`delete from activity_exports where file < (select max(file) from activity_exports)`
}
