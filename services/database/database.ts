import postgres from "postgres"

/** 64-bit integers arrive as bigint; everything else as postgres.js does it. */
type Types = { bigint: bigint }

/**
 * JSON parameters are text already: the driver would encode them a second time. Oids 114 and 3802 are json and jsonb
 * (pg_type.dat).
 */
const JSON_AS_TEXT = { to: 114, from: [114, 3802], serialize: (text: string) => text, parse: JSON.parse }

/** The connection pool. */
export type Database = postgres.Sql<Types>
/** The pool, a reserved connection or an open transaction. */
export type Queries = postgres.ISql<Types>
export type Transaction = postgres.TransactionSql<Types>

/** `DATABASE_URL`, or the connection of the embedded server. */
export type DatabaseConfig = { url: string } | { connection: Connection }
type Connection = { path: string; user: string; database: string; password?: string }

type DatabaseOptions = {
  /** Connections at most. */
  max?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
  /** The server cancels a statement after this many milliseconds; a second later its connection is given up. 0: never. */
  statementTimeoutMs?: number
  /** The server ends a session whose transaction was idle for this time, milliseconds. */
  idleTransactionMs?: number
  /** Called after a connection was closed. */
  onClose?: () => void
  /** Called for each message of a channel to which a connection listens. */
  onNotify?: () => void
}

const DEFAULT_CONNECTIONS = 10
/** Well under the time within which each request is answered. */
const CONNECT_TIMEOUT_SECONDS = 3
/** Between attempts to connect at most: an outage ends for the API within a second of its end. */
const LONGEST_BACKOFF_SECONDS = 0.5
/** A longer statement would block a connection that others wait for, and outlast the request that it is part of. */
const STATEMENT_TIMEOUT_MS = 8_000
/**
 * The client's statement timeout exceeds the server's by this; after it the connection is destroyed. The server's own timeout
 * does not help when the network drops packets. A statement waits for a connection at most the sum of both.
 */
const ANSWER_GRACE_MS = 1_000
/**
 * The server ends a session whose transaction was idle for this time. A client whose packets are lost holds its locks until then,
 * and nothing of its organization can be stored.
 */
const IDLE_TRANSACTION_MS = 10_000

/** The pool of queries: they only read, by indexes, in milliseconds. */
export const QUERIES_POOL: DatabaseOptions = {
  applicationName: "countersign-api-queries",
  statementTimeoutMs: 5_000,
}

/** A migration rewrites a table, and waits for another process that migrates. */
export const MIGRATIONS_POOL: DatabaseOptions = {
  applicationName: "countersign-migrations",
  max: 1,
  statementTimeoutMs: 3_600_000,
}

/**
 * The pool of locks that are held while an order is under way, one connection for each account that sends. Its transactions are
 * idle for as long as a request takes.
 */
export const LOCKS_POOL: DatabaseOptions = {
  applicationName: "countersign-api-locks",
  max: 16,
  idleTransactionMs: 15_000,
}

/** Opens a pool. It connects on first use, so an absent server causes no error here. */
export function connectDatabase(config: DatabaseConfig, options: DatabaseOptions = {}): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const settings = {
    max: options.max ?? DEFAULT_CONNECTIONS,
    // Missing in the driver's types. With 1, the driver fails a transaction that starts behind a running query with
    // UNSAFE_TRANSACTION, because it reserves no connection for it.
    max_pipeline: 100,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // An option of the patched driver, seconds.
    query_timeout: statementTimeoutMs === 0 ? null : (statementTimeoutMs + ANSWER_GRACE_MS) / 1000,
    // The driver counts failed attempts since the last good one; its own delay grows to 20 s.
    backoff: (failures: number) => Math.min(0.05 * 2 ** failures, LONGEST_BACKOFF_SECONDS),
    types: { bigint: postgres.BigInt, json: JSON_AS_TEXT },
    onnotice: () => undefined,
    // The driver would replace connections from time to time; a closed connection is one that was lost.
    max_lifetime: null,
    ...(options.onClose && { onclose: options.onClose }),
    // Missing in the driver's types.
    ...(options.onNotify && { onnotify: options.onNotify }),
    connection: {
      application_name: options.applicationName ?? "countersign-api",
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: options.idleTransactionMs ?? IDLE_TRANSACTION_MS,
    },
  }
  const socket = "connection" in config ? config.connection : readSocketUrl(config.url)
  return requirePatched(
    socket === undefined && "url" in config
      ? postgres(config.url, settings)
      : postgres({ ...socket, ssl: false, ...settings }),
  )
}

/** The connections of a pool, and its statements since it was opened. */
export type PoolState = {
  /** Connections that have a socket. */
  open: number
  /** Connections that the pool never gives out again: 0, unless the driver has a fault. */
  lost: number
  /** Statements that wait for a connection. */
  waiting: number
  asked: number
  answered: number
}

export function poolState(sql: Database): PoolState {
  return (sql as unknown as Patched).poolState()
}

type Patched = { poolState(): PoolState }

function requirePatched(sql: Database): Database {
  if ("poolState" in sql) return sql
  throw new Error("the database driver is not patched; run node scripts/patch-postgres.js, as npm ci does")
}

/**
 * The two forms of a unix socket in a URL, which postgres.js does not support:
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

/** The server's place as its operator names it, without user and password. */
export function placeOf(config: DatabaseConfig): string {
  if ("connection" in config) return `the socket ${config.connection.path}`
  const socket = readSocketUrl(config.url)
  if (socket) return `the socket ${socket.path}`
  const { hostname, port } = new URL(config.url)
  return `${hostname || "localhost"}:${port || "5432"}`
}

/** True if the server takes no changes: it is a standby, or was set read-only. */
export async function isReadOnly(sql: Database): Promise<boolean> {
  // The table shows that the schema is in place.
  const [row] = await sql<{ isReadOnly: boolean }[]>`
    select current_setting('transaction_read_only')::boolean as "isReadOnly", exists (select from organizations)`
  return row?.isReadOnly === true
}

/** Closes the pool. Running statements may finish within the given time. */
export async function closeDatabase(sql: Database, timeoutSeconds = 5): Promise<void> {
  await sql.end({ timeout: timeoutSeconds })
}

/** SQLSTATE of an error that the server reported; undefined for lost connections and for errors of this process. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined
}
