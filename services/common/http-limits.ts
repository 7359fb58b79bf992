/** What a caller may take of the listener, whatever he asks for. Times in milliseconds. */
export type HttpLimits = {
  /** From the connection, or the first byte of a request, to the end of its headers. */
  headersTimeoutMs: number
  /** To the end of its body. */
  requestTimeoutMs: number
  /** A connection that nothing is asked on; longer than any client of ours keeps one, so that the client closes it. */
  keepAliveMs: number
  /** How often the first two are looked at. */
  checkEveryMs: number
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 75_000,
  checkEveryMs: 5_000,
}

/** Of a request's first line and headers together. The longest stamp that is read has 8 KiB. */
export const MAX_HEADER_BYTES = 16 * 1024
