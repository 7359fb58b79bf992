import type { Middleware } from "../context.ts"

const METHODS = "POST, GET, OPTIONS"
const HEADERS =
  "Content-Type, Accept, X-Client-Version, X-Stamp, X-Stamp-WebAuthn, X-Stamp-Attested, X-Session, X-Request-Id"
/** Seconds for which a browser remembers the answer to its preflight. */
const MAX_AGE_SECONDS = "600"

/**
 * Lets pages of any origin call: what counts is the stamp, no browser sends one by itself, and no cookie is
 * read. Comes before errors are answered, or a browser would hide their text.
 */
export const allowAnyOrigin: Middleware = async (context, next) => {
  context.res.setHeader("Access-Control-Allow-Origin", "*")
  if (context.method !== "OPTIONS") {
    context.res.setHeader("Access-Control-Expose-Headers", "X-Request-Id")
    await next()
    return
  }
  context.set("Access-Control-Allow-Methods", METHODS)
  context.set("Access-Control-Allow-Headers", HEADERS)
  context.set("Access-Control-Max-Age", MAX_AGE_SECONDS)
  context.state.operation = "preflight"
  context.status = 204
}
