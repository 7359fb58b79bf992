import type { Logger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, MIGRATIONS_POOL } from "../database/database.ts"
import type { ApiSettings } from "./config.ts"
import { migrate } from "./store/migrate.ts"

/** Migrates over a connection of its own: no other statement may take as long. */
export async function migrateFirst({ database }: ApiSettings, log: Logger): Promise<void> {
  const sql = connectDatabase(database, MIGRATIONS_POOL)
  try {
    const applied = await migrate(sql)
    if (applied.length > 0) log.info({ applied }, "migrated the database")
  } finally {
    await closeDatabase(sql)
  }
}
