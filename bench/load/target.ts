/**
 * Requests: signatures of random digests, of transfers, or of the same transfers' digests; new names of the organization; or
 * signatures of random digests by Vault's transit engine.
 */
export type Signs = "payload" | "transfer" | "digest" | "name" | "vault"

/** The server's address and the caller: an organization with an account to sign with and a key that may. */
export type Target = {
  host: string
  port: number
  organizationId: string
  signWith: string
  /** Signers in place of `signWith`, one request each in turn; the next window of a series goes on where the last ended. */
  inTurn?: readonly string[]
  /** Absent: `payload`. */
  signs?: Signs
  publicKeyHex: string
  /** PKCS #8, PEM. */
  privateKeyPem: string
  /** Bearer token that is sent in place of a stamp. */
  bearer?: string
}

export type LoadQuestion =
  /** Answered when the measured window has begun. `series`: windows of one need about as many requests. */
  | {
      ask: "begin"
      target: Target
      series: string
      connections: number
      seconds: number
      warmUpSeconds: number
    }
  /** Answered with `LoadAnswer` when the window is over. */
  | { ask: "finish" }

export type LoadAnswer = {
  perSecond: number
  requests: number
  p50Ms: number
  p99Ms: number
  /** CPU time of the load generator itself, for each request. */
  loadCpuUs: number
}
