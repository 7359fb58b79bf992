import type { Database } from "../../database/database.ts"

/** A file of exported activities. */
export type ExportedFile = { file: number; digest: Uint8Array; activities: number }

/** The newest file that was recorded. */
export async function lastExport(sql: Database): Promise<ExportedFile | undefined> {
  const [row] = await sql<ExportedFile[]>`
    select file, digest, activities from activity_exports order by file desc limit 1`
  return row
}

/** A file that is recorded already stays as it is. */
export async function recordExport(sql: Database, { file, digest, activities }: ExportedFile): Promise<void> {
  await sql`
    insert into activity_exports (file, digest, activities, exported_ms)
    values (${file}, ${digest}, ${activities}, ${Date.now()}) on conflict do nothing`
}
