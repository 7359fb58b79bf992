import postgres from "postgres"

/** 64-bit integers arrive as bigint; everything else as postgres.js does it. */
type Types = { bigint: bigint }

/** The pool. */
export type Database = postgres.Sql<Types>
/** What a query needs: the pool, a reserved connection or an open transaction. */
export type Queries = postgres.ISql<Types>
export type Transaction = postgres.TransactionSql<Types>

/** `DATABASE_URL`, or what the embedded server gives as `connection`. */
export type DatabaseConfig = { url: string } | { connection: Connection }
type Connection = { path: string; user: string; database: string; password?: string }

export type DatabaseOptions = {
  /** Connections at most. */
  max?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
}

const DEFAULT_CONNECTIONS = 10
const CONNECT_TIMEOUT_SECONDS = 10
/** No statement of ours takes long; one that does would hold a connection others wait for. */
const STATEMENT_TIMEOUT_MS = 30_000

/** Opens a pool. Connections are made when they are needed, so this does not fail for an absent server. */
export function connectDatabase(config: DatabaseConfig, options: DatabaseOptions = {}): Database {
  const settings = {
    max: options.max ?? DEFAULT_CONNECTIONS,
    // Not in the driver's types. Not 1: the driver forgets to reserve a connection for a transaction that begins behind as many queries as
    // this allows, and then fails it with UNSAFE_TRANSACTION.
    max_pipeline: 100,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    types: { bigint: postgres.BigInt },
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName ?? "countersign-api",
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    },
  }
  if ("connection" in config) return postgres({ ...config.connection, ssl: false, ...settings })
  const socket = readSocketUrl(config.url)
  return socket ? postgres({ ...socket, ssl: false, ...settings }) : postgres(config.url, settings)
}

/**
 * The two ways to name a unix socket in a URL, which postgres.js does not know:
 * postgres://user@%2Fdirectory/database and postgres:///database?host=/directory.
 */
function readSocketUrl(text: string): Connection | undefined {
  const url = new URL(text)
  const directory = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  if (!directory.startsWith("/")) return undefined
  const port = url.searchParams.get("port") ?? (url.port || "5432")
  const user = decodeURIComponent(url.username) || (url.searchParams.get("user") ?? "postgres")
  return {
    path: `${directory}/.s.PGSQL.${port}`,
    user,
    database: decodeURIComponent(url.pathname.slice(1)) || user,
    ...(url.password ? { password: decodeURIComponent(url.password) } : {}),
  }
}

/** Ends the pool: running statements may finish within the given time. */
export async function closeDatabase(sql: Database, timeoutSeconds = 5): Promise<void> {
  await sql.end({ timeout: timeoutSeconds })
}

/** SQLSTATE of an error that the server itself reported; undefined for lost connections and our own faults. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined
}
