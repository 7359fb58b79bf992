import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { extname } from "node:path"
import type { BuiltPage } from "./build-page.ts"
import type { Configuration } from "./page/configuration.ts"

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
}

/** Serves a page and its configuration on localhost. The page may call the deployment, and nothing else. */
export async function servePage(
  port: number,
  page: BuiltPage,
  configuration: Configuration,
): Promise<Server> {
  const files = new Map(page).set("configuration.json", JSON.stringify(configuration))
  const policy = [
    "default-src 'self'",
    `connect-src 'self' ${configuration.apiUrl} ${configuration.authProxyUrl}`,
    "frame-ancestors 'none'",
  ].join("; ")
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const name = pathname === "/" ? "index.html" : pathname.slice(1)
    const file = files.get(name)
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    response.end(file)
  })
  server.listen(port, "localhost")
  await once(server, "listening")
  return server
}
