import type { Queries } from "../../database/database.ts"

/** True if the schema has no relation, other than those of extensions. */
export async function isEmptySchema(sql: Queries): Promise<boolean> {
  const [found] = await sql<{ isUsed: boolean }[]>`
    select exists (
      select from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    ) as "isUsed"`
  return found?.isUsed === false
}
