import { proxyPaths } from "../../proto/operations.ts"
import { notImplemented, type Route, type Routes } from "../common/dispatch.ts"
import { PROXY_REPLACEMENT } from "../common/not-served.ts"

/**
 * Every operation of the catalog at `POST /v1/<operation>`. None is served yet: each answers 501 with its name, before
 * body, origin and X-Auth-Proxy-Config-Id are looked at.
 */
export function operationRoutes(): Routes {
  return new Map([...proxyPaths.keys()].map((operation) => [`/v1/${operation}`, refuses(operation)]))
}

function refuses(operation: string): Route {
  return {
    operation,
    handle: () => {
      throw notImplemented(operation, PROXY_REPLACEMENT)
    },
  }
}
