import type { IncomingMessage } from "node:http"
import type { Middleware } from "../context.ts"
import { httpFaultError } from "../http-faults.ts"

/**
 * Checks rules of HTTP/1.1 that Node itself would answer without a body: a Host header (RFC 9112, section 3.2) and no
 * unknown expectation (RFC 9110, section 10.1.1). A target in absolute form (RFC 9112, section 3.2.2) is reduced to its
 * path.
 *
 * @throws ApiError with HTTP 400, 417; the connection is closed, because the body may still arrive or not
 */
export const requireHttp: Middleware = ({ req, res }, next) => {
  const fault = faultOfHeaders(req) ?? faultOfTarget(req)
  if (fault === undefined) return next()
  res.setHeader("Connection", "close")
  throw httpFaultError(fault)
}

function faultOfHeaders({ httpVersion, headers }: IncomingMessage): "host" | "expectation" | undefined {
  if (httpVersion !== "1.1") return undefined
  if (headers.host === undefined) return "host"
  const { expect } = headers
  return expect === undefined || expect.toLowerCase() === "100-continue" ? undefined : "expectation"
}

function faultOfTarget(request: IncomingMessage): "target" | undefined {
  const { url = "" } = request
  if (url.startsWith("/") || url === "*") return undefined
  const target = URL.parse(url)
  if (target === null) return "target"
  request.url = target.pathname + target.search
  return undefined
}
