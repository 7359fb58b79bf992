import { ApiError, GrpcCode } from "./api-error.ts"
import type { Handler, Middleware } from "./context.ts"

/** One operation: its name in the log, what answers it. All are called with POST. */
export type Route = { operation: string; handle: Handler }
export type Routes = ReadonlyMap<string, Route>

/** Finds an operation by its exact path: a look-up, however many there are. Other paths are left to the pages. */
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

/** What is only read: whether it is at a path, and where callers find what else there is. */
export type Pages = { isPage: (path: string) => boolean; hint: string }

/** The end of the line: nothing is at this path, or a page that is only read. */
export function refuseUnknown({ isPage, hint }: Pages): Middleware {
  return (context) => {
    if (!isPage(context.path)) throw unknownPath(pathOf(context.req.url ?? "/"), hint)
    context.set("Allow", "GET, HEAD, OPTIONS")
    throw wrongMethod(context.path.slice(1), "GET")
  }
}

function pathOf(url: string): string {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** The path is shown as it came: a base URL that ends with a slash is seen by nothing else. */
function unknownPath(path: string, hint: string): ApiError {
  const advice = path.startsWith("//") ? ". Does the base URL end with a slash?" : `; ${hint}`
  return new ApiError(GrpcCode.notFound, `there is no operation at this path, ${printable(path)}${advice}`, {
    reason: "PATH_UNKNOWN",
  })
}

const SHOWN_CHARACTERS = 200

/** What goes onto a terminal: ASCII alone, and no more than a line or two of it. */
function printable(path: string): string {
  const shown = path.slice(0, SHOWN_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")
  return path.length > SHOWN_CHARACTERS ? `${shown}…` : shown
}

/** The operation is part of the interface and not of this release. */
export function notImplemented(operation: string, why = ""): ApiError {
  const sentence = `${operation} is not implemented in this release${why === "" ? "" : `: ${why}`}`
  return new ApiError(GrpcCode.unimplemented, sentence, { reason: "NOT_IMPLEMENTED" })
}

function wrongMethod(operation: string, wanted: "GET" | "POST"): ApiError {
  return new ApiError(GrpcCode.unimplemented, `${operation} is called with ${wanted}`, {
    status: 405,
    reason: "METHOD_WRONG",
  })
}
