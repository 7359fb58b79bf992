/** Time limits of a connection, milliseconds. */
export type HttpLimits = {
  /** From the connection, or a request's first byte, to the end of the request's headers. */
  headersTimeoutMs: number
  /** From the same start to the end of the request's body. */
  requestTimeoutMs: number
  /** For an idle connection; longer than clients keep one, so that the client closes it. */
  keepAliveMs: number
  /** Interval at which the first two limits are checked. */
  checkEveryMs: number
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 75_000,
  checkEveryMs: 5_000,
}

/** Largest first line and headers together, bytes. The longest accepted stamp has 8 KiB. */
export const MAX_HEADER_BYTES = 16 * 1024
