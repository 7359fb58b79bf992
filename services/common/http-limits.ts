/** Limits of a listener. Times in milliseconds. */
export type HttpLimits = {
  /** From the connection, or a request's first byte, to the end of the request's headers. */
  headersTimeoutMs: number
  /** From the same start to the end of the request's body. */
  requestTimeoutMs: number
  /** For an idle connection; longer than clients keep one, so that the client closes it. */
  keepAliveMs: number
  /** From the end of an answer until it is read. */
  readAnswerMs: number
  /** Interval at which the limits on headers, body and reading are checked. */
  checkEveryMs: number
  /** Open connections; beyond it the one that is idle for longest is closed. */
  maxConnections: number
  /** At a stop: a connection without a request is closed when nothing has come on it for this time. */
  quietMs: number
  /** Bytes of answers that are not read, of all connections; beyond it the oldest of them is dropped. */
  maxUnreadBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 75_000,
  readAnswerMs: 60_000,
  checkEveryMs: 5_000,
  maxConnections: 4_096,
  quietMs: 500,
  maxUnreadBytes: 128 * 1024 * 1024,
}

/** Largest first line and headers together, bytes. The longest accepted stamp has 8 KiB. */
export const MAX_HEADER_BYTES = 16 * 1024
