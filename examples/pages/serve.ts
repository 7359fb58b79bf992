import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { extname } from "node:path"
import { json } from "node:stream/consumers"
import type { BuiltPage } from "./build.ts"

/** Values that the page reads at its start. The server allows calls to the two addresses. */
type Configuration = { apiUrl: string; authProxyUrl?: string; readonly [member: string]: string | undefined }

/** Functions that the page calls on its own server by POST, by their path. They take and return JSON. */
export type Endpoints = ReadonlyMap<string, (body: unknown) => Promise<object>>

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
  endpoints: Endpoints = new Map(),
): Promise<Server> {
  const files = new Map(page).set("configuration.json", JSON.stringify(configuration))
  const policy = [
    "default-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${configuration.apiUrl} ${configuration.authProxyUrl ?? ""}`,
    "frame-ancestors 'none'",
  ].join("; ")
  const server = createServer((request, response) => {
    // Against DNS rebinding: a request under another host name is not one of this server's pages.
    if (!/^localhost(?::\d+)?$/.test(request.headers.host ?? "")) {
      response.writeHead(421).end()
      return
    }
    const [pathname = "/"] = (request.url ?? "/").split("?")
    const endpoint = request.method === "POST" ? endpoints.get(pathname) : undefined
    if (endpoint !== undefined) {
      void answer(endpoint, request, response)
      return
    }
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

/** Another site cannot send JSON here: its browser would ask first, and this server does not answer that. */
async function answer(
  endpoint: (body: unknown) => Promise<object>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (status: number, members: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(members))
  if (request.headers["content-type"] !== "application/json") {
    reply(415, { message: "send JSON" })
    return
  }
  await json(request)
    .then(endpoint)
    .then(
      (members) => reply(200, members),
      (error: Error) => reply(400, { message: error.message }),
    )
}
