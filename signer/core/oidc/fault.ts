import { type Refusal, refuse } from "../refusal.ts"

/** Refuses a token. `why` completes the sentence and repeats nothing of the token but names. */
export function invalidToken(why: string, field: string, cause?: unknown): Refusal {
  return refuse("OIDC_TOKEN_INVALID", `invalid OIDC token: ${why}`, { field, cause })
}

/** Refuses what an issuer published. */
export function invalidIssuer(why: string, cause?: unknown): Refusal {
  return refuse("ISSUER_INVALID", `the OIDC issuer's published configuration cannot be used: ${why}`, {
    cause,
  })
}
