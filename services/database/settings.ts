import { join, resolve } from "node:path"
import { optionalText, type SettingValues, wholeNumber } from "../../signer/core/settings/settings.ts"
import { databaseUrl } from "../common/settings.ts"
import type { DatabaseConfig } from "./database.ts"

/** Settings of every process that uses the database. */
export const databaseSettings = {
  COUNTERSIGN_DATABASE_SOCKET: optionalText,
  COUNTERSIGN_DATABASE_WAIT_SECONDS: wholeNumber(60, 0, 3600),
  DATABASE_URL: databaseUrl,
}

type DatabaseValues = SettingValues<typeof databaseSettings>

/** Without an address the database is the embedded server of the data directory, started by `countersign dev`. */
export function readDatabase(values: DatabaseValues, dataDirectory: string): DatabaseConfig {
  if (values.DATABASE_URL !== undefined) return { url: values.DATABASE_URL }
  const directory = resolve(values.COUNTERSIGN_DATABASE_SOCKET ?? join(dataDirectory, "postgres", "run"))
  return { connection: { path: join(directory, SOCKET_NAME), user: "countersign", database: "postgres" } }
}

/** File name of PostgreSQL's socket. */
const SOCKET_NAME = ".s.PGSQL.5432"

/** Both settings name a database: one of them would be ignored. */
export function faultsOfDatabase(values: Partial<DatabaseValues>): string[] {
  const { DATABASE_URL, COUNTERSIGN_DATABASE_SOCKET } = values
  return DATABASE_URL !== undefined && COUNTERSIGN_DATABASE_SOCKET !== undefined
    ? ["COUNTERSIGN_DATABASE_SOCKET: excludes DATABASE_URL"]
    : []
}
