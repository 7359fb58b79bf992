import type { IncomingHttpHeaders } from "node:http"

/**
 * User-Agents of published clients without X-Client-Version: Rust (`turnkey-rust-client/`) and old Go releases, which
 * send only the name of their HTTP library.
 */
const PUBLISHED_CLIENTS = /^(?:Go-http-client\/|turnkey-)/i

/**
 * True if a published client sent the request. They are recognized by X-Client-Version (TypeScript, Python, Go) or by their
 * User-Agent. `python-requests/` does not count: the published Python client always sends X-Client-Version, and other
 * scripts use the same library.
 */
export function isPublishedClient(headers: IncomingHttpHeaders): boolean {
  return headers["x-client-version"] !== undefined || PUBLISHED_CLIENTS.test(headers["user-agent"] ?? "")
}
