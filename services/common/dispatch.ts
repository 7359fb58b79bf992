import { ApiError, GrpcCode } from "./api-error.ts"
import type { Handler, Middleware } from "./context.ts"

/** One operation: its name in the log and its handler. All are called with POST. */
export type Route = { operation: string; handle: Handler }
export type Routes = ReadonlyMap<string, Route>

/** Finds an operation by its exact path. Other paths are left to the pages. */
export function dispatch(operations: Routes): Middleware {
  return (context, next) => {
    const route = operations.get(pathOf(context.req.url ?? "/"))
    if (route === undefined) return next()
    context.state.operation = route.operation
    if (context.method === "POST") return route.handle(context)
    context.set("Allow", "POST, OPTIONS")
    throw wrongMethod(route.operation, "POST")
  }
}

/** Look-up of the paths that are pages, called with GET, and of hints for unknown paths. */
export type PageLookup = { isPage: (path: string) => boolean; hintFor: (path: string) => string }

/** Refuses all other requests: unknown paths, and pages called with another method than GET. */
export function refuseUnknown({ isPage, hintFor }: PageLookup): Middleware {
  return (context) => {
    if (!isPage(context.path)) throw unknownPath(pathOf(context.req.url ?? "/"), hintFor(context.path))
    context.set("Allow", "GET, HEAD, OPTIONS")
    throw wrongMethod(context.path.slice(1), "GET")
  }
}

function pathOf(url: string): string {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** Shows the path as received: only this reveals a base URL that ends with a slash, or has a path. */
export function unknownPath(path: string, hint: string): ApiError {
  const advice = adviceOnBaseUrl(path) ?? `; ${hint}`
  return new ApiError(GrpcCode.notFound, `there is no operation at this path, ${printable(path)}${advice}`, {
    reason: "PATH_UNKNOWN",
  })
}

function adviceOnBaseUrl(path: string): string | undefined {
  if (path.startsWith("//")) return ". Does the base URL end with a slash?"
  return path.lastIndexOf("/public/v1/") > 0
    ? ". The base URL has no path: it ends with host and port"
    : undefined
}

const MAX_SHOWN_CHARACTERS = 200

/** Text that is safe on a terminal: printable ASCII, of bounded length. */
function printable(path: string): string {
  const shown = path.slice(0, MAX_SHOWN_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")
  return path.length > MAX_SHOWN_CHARACTERS ? `${shown}…` : shown
}

const SERVED = "GET /docs/api of the API lists what is served"

/**
 * The operation is part of the interface, but not of this release.
 * @param why reason, or what to use meanwhile
 */
export function notImplemented(operation: string, why: string): ApiError {
  const sentence = `${operation} is not implemented in this release: ${why}; ${SERVED}`
  return new ApiError(GrpcCode.unimplemented, sentence, { reason: "NOT_IMPLEMENTED" })
}

function wrongMethod(operation: string, wanted: "GET" | "POST"): ApiError {
  return new ApiError(GrpcCode.unimplemented, `${operation} is called with ${wanted}`, {
    status: 405,
    reason: "METHOD_WRONG",
  })
}
