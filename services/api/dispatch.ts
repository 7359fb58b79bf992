import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Handler, Middleware } from "../common/context.ts"

/** One path: its method, its name in the log, what answers it. */
export type Route = { method: "GET" | "POST"; operation: string; handle: Handler }
export type Routes = ReadonlyMap<string, Route>

/** Finds the handler by the exact path: a look-up, however many operations there are. No path has variables. */
export function dispatch(routes: Routes): Middleware {
  return (context) => {
    const route = routes.get(pathOf(context.req.url ?? "/"))
    if (route === undefined) throw unknownPath()
    context.state.operation = route.operation
    if (!accepts(route, context.method)) {
      context.set("Allow", route.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS")
      throw wrongMethod(route)
    }
    return route.handle(context)
  }
}

function pathOf(url: string): string {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

function accepts(route: Route, method: string): boolean {
  return method === route.method || (method === "HEAD" && route.method === "GET")
}

function unknownPath(): ApiError {
  return new ApiError(GrpcCode.notFound, "there is no operation at this path; GET /docs lists them", {
    reason: "PATH_UNKNOWN",
  })
}

function wrongMethod({ method, operation }: Route): ApiError {
  return new ApiError(GrpcCode.unimplemented, `${operation} is called with ${method}`, {
    status: 405,
    reason: "METHOD_WRONG",
  })
}
