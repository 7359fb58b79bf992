import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Handler, Middleware } from "../common/context.ts"
import type { Pages } from "./pages.ts"

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

/** The end of the line: nothing is at this path, or a page that is only read. */
export function refuseUnknown(pages: Pages): Middleware {
  return (context) => {
    const isPage = pages.match(context.path, "GET").path.length > 0
    if (!isPage) throw unknownPath(pathOf(context.req.url ?? "/"))
    context.set("Allow", "GET, HEAD, OPTIONS")
    throw wrongMethod(context.path.slice(1), "GET")
  }
}

function pathOf(url: string): string {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** The path is shown as it came: a base URL that ends with a slash is seen by nothing else. */
function unknownPath(path: string): ApiError {
  const hint = path.startsWith("//") ? ". Does the base URL end with a slash?" : "; GET /docs lists them"
  return new ApiError(GrpcCode.notFound, `there is no operation at this path, ${printable(path)}${hint}`, {
    reason: "PATH_UNKNOWN",
  })
}

const SHOWN_CHARACTERS = 200

/** What goes onto a terminal: ASCII alone, and no more than a line or two of it. */
function printable(path: string): string {
  const shown = path.slice(0, SHOWN_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")
  return path.length > SHOWN_CHARACTERS ? `${shown}…` : shown
}

function wrongMethod(operation: string, wanted: "GET" | "POST"): ApiError {
  return new ApiError(GrpcCode.unimplemented, `${operation} is called with ${wanted}`, {
    status: 405,
    reason: "METHOD_WRONG",
  })
}
