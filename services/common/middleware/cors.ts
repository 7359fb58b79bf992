import type { Context, Middleware } from "../context.ts"

const METHODS = "POST, GET, OPTIONS"
/** Seconds for which a browser remembers the answer to its preflight. */
const MAX_AGE_SECONDS = "600"

/**
 * Lets pages of any origin call: what counts is the stamp, no browser sends one by itself, and no cookie is
 * read. Comes before errors are answered, or a browser would hide their text.
 */
export function allowAnyOrigin(requestHeaders: string): Middleware {
  return answerCors(requestHeaders, () => "*")
}

/**
 * Lets the page that calls call, by the name of its origin: which origins may is a matter of each caller's settings,
 * and a preflight does not say whose they are (Fetch standard, CORS protocol: it carries the names of headers alone).
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
      context.res.setHeader("Access-Control-Expose-Headers", "X-Request-Id")
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
