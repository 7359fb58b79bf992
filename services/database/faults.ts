/** Lost connections: codes of the driver and of the operating system. */
const CONNECTION_LOST =
  /^(?:CONNECTION_|CONNECT_TIMEOUT$|ECONN[A-Z]+$|ENOENT$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/

/**
 * Faults of the database that are not of the statement, by SQLSTATE class (PostgreSQL, appendix A). If several fit, the first
 * counts.
 */
const DATABASE_FAULTS: readonly { states: RegExp; sentence: string }[] = [
  { states: /^25006$/, sentence: "the database is read-only" },
  { states: /^53100$/, sentence: "the database's disk is full" },
  { states: /^57014$/, sentence: "the database did not answer in time" },
  { states: /^(?:08|28|3D|57)/, sentence: "the database cannot be reached now" },
  { states: /^53/, sentence: "the database lacks memory or connections" },
  { states: /^40/, sentence: "the database gave this up in favour of a concurrent request" },
  { states: /^(?:25|58|XX)/, sentence: "the database has a fault of its own" },
]

/** States of one statement or one row: the database may serve others. */
const STATEMENT_FAULTS = /^(?:40|XX|57014$)/

/** The fault of the database behind an error, for the caller; undefined for every other error. */
export function databaseFault(thrown: unknown): string | undefined {
  const code = codeOf(thrown)
  const fault = DATABASE_FAULTS.find(({ states }) => states.test(code))
  return fault?.sentence ?? (CONNECTION_LOST.test(code) ? "the database cannot be reached now" : undefined)
}

/** True if the database is unreachable or unable to serve any statement. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  return databaseFault(thrown) !== undefined && !STATEMENT_FAULTS.test(codeOf(thrown))
}

/** SQLSTATE, or the code of the driver or of the operating system. */
function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined
  return typeof code === "string" ? code : ""
}
