import type { Context, Middleware } from "../context.ts"

const METHODS = "POST, GET, OPTIONS"
/** Reply headers that pages may read. */
const EXPOSED = [
  "X-Request-Id",
  "Retry-After",
  "X-Countersign-Activity-Id",
  "X-Countersign-Ignored-Members",
  "X-Countersign-Page-Ends-At",
  "X-Countersign-Policy-Warnings",
].join(", ")

/** Seconds for which a browser caches the reply to its preflight. */
const MAX_AGE_SECONDS = "600"

/**
 * Lets pages of any origin call: requests are authenticated by stamps, which no browser sends by itself, and no cookie is
 * read. Runs before errors are answered, or a browser would hide their text.
 */
export function allowAnyOrigin(requestHeaders: string): Middleware {
  return answerCors(requestHeaders, () => "*")
}

/**
 * Lets the calling page call and names its origin in the reply. Each organization's settings list the allowed origins,
 * and a preflight does not name the organization (Fetch standard, CORS protocol: it carries only names of headers).
 */
export function allowCallersOrigin(requestHeaders: string): Middleware {
  const answer = answerCors(requestHeaders, ({ req }) => req.headers.origin)
  return (context, next) => {
    context.res.setHeader("Vary", "Origin")
    return answer(context, next)
  }
}

function answerCors(requestHeaders: string, originFor: (context: Context) => string | undefined): Middleware {
  return async (context, next) => {
    const origin = originFor(context)
    if (origin !== undefined) context.res.setHeader("Access-Control-Allow-Origin", origin)
    if (context.method !== "OPTIONS") {
      context.res.setHeader("Access-Control-Expose-Headers", EXPOSED)
      await next()
      return
    }
    context.set("Access-Control-Allow-Methods", METHODS)
    context.set("Access-Control-Allow-Headers", requestHeaders)
    context.set("Access-Control-Max-Age", MAX_AGE_SECONDS)
    context.state.operation = "preflight"
    context.status = 204
  }
}
