import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http"
import { createHash } from "node:crypto"
import { extname } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { type BuiltFile, readBuiltFiles } from "./built-files.ts"
import { MAIL_STYLE } from "../../signer/core/messages/mail-page.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"

/**
 * Codings of responses (RFC 9110, 8.4.1), the smallest first. Brotli at its best takes an eighth less than gzip, and 0.1 s of a
 * processor for a large file: each file is compressed once, when a browser first asks for it.
 */
const CODINGS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body: Buffer) => promisify(gzip)(body),
} as const
type Coding = keyof typeof CODINGS

/** Settings of the pages: the addresses of the API and the auth proxy, and the server's pins. */
export type PageConfig = { apiUrl: string; authProxyUrl?: string; pins?: object }

type File = BuiltFile & { readonly coded: Map<Coding, Promise<Buffer>> }

export type ServedDashboard = { close(): Promise<void> }

/**
 * Answers with a build of the dashboard: fixed files, and nothing else. It reads no request but its path, keeps no state
 * and has no credential.
 */
export async function dashboardPages(folder: string, config: PageConfig): Promise<RequestListener> {
  const body = Buffer.from(JSON.stringify(config))
  const built = await readBuiltFiles(folder)
  built.set("/config.json", { body, type: "application/json", isHashed: false })
  const files = new Map([...built].map(([path, file]) => [path, { ...file, coded: new Map() }]))
  const headers = headersFor(config)
  return (request, response) => {
    answer(request, response, files, headers).catch((error: Error) => response.destroy(error))
  }
}

/** Serves the pages on this machine, for its own browser. */
export async function serveDashboard(
  { host, port }: HostAndPort,
  pages: RequestListener,
): Promise<ServedDashboard> {
  // `localhost` is both loopback addresses.
  const hosts = host === "localhost" ? ["127.0.0.1", "::1"] : [host]
  const servers: Server[] = []
  for (const one of hosts) {
    const server = createServer(pages)
    await listen(server, one, port).then(
      () => servers.push(server),
      (error: NodeJS.ErrnoException) => {
        if (one !== "::1" || !["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(error.code ?? "")) throw error
      },
    )
  }
  return {
    async close() {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise((done) => {
              server.close(done)
              server.closeAllConnections()
            }),
        ),
      )
    },
  }
}

const MAIL_STYLE_HASH = `'sha256-${createHash("sha256").update(MAIL_STYLE).digest("base64")}'`

/**
 * The content security policy: scripts and styles of this origin, connections to the API and to the auth proxy. Style
 * attributes and the style sheet of built-in mails are allowed because mails that the page previews have them.
 */
export function headersFor({ apiUrl, authProxyUrl }: PageConfig): { readonly [name: string]: string } {
  const peers = [apiUrl, ...(authProxyUrl === undefined ? [] : [authProxyUrl])].map(
    (url) => new URL(url).origin,
  )
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${MAIL_STYLE_HASH}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${peers.join(" ")}`,
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
  return {
    "Content-Security-Policy": policy,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  }
}

async function answer(
  { method, url = "/", headers }: IncomingMessage,
  response: ServerResponse,
  files: ReadonlyMap<string, File>,
  fixed: { readonly [name: string]: string },
): Promise<void> {
  for (const [name, value] of Object.entries(fixed)) response.setHeader(name, value)
  if (method !== "GET" && method !== "HEAD") {
    response.writeHead(405, { Allow: "GET, HEAD" }).end()
    return
  }
  const [path = "/"] = url.split("?")
  // Every page has a path of its own, and one document. A path with an extension is a file.
  const file = files.get(path) ?? (extname(path) === "" ? files.get("/index.html") : undefined)
  if (file === undefined) {
    response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("There is no such file.\n")
    return
  }
  const accepted = headers["accept-encoding"]?.toString() ?? ""
  const coding = (Object.keys(CODINGS) as Coding[]).find((one) => accepts(accepted, one))
  const body = coding === undefined ? file.body : await bodyIn(file, coding)
  response.writeHead(200, {
    "Content-Type": file.type,
    "Content-Length": body.length,
    "Cache-Control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    Vary: "Accept-Encoding",
    ...(coding !== undefined && { "Content-Encoding": coding }),
  })
  response.end(method === "HEAD" ? undefined : body)
}

/** Whether a list of codings names this one, with a weight that is not zero (RFC 9110, 12.5.3). */
function accepts(list: string, coding: Coding): boolean {
  return list.split(",").some((one) => {
    const [name = "", weight = "q=1"] = one.split(";").map((part) => part.trim().toLowerCase())
    return name === coding && Number(weight.slice("q=".length)) > 0
  })
}

function bodyIn({ body, coded }: File, coding: Coding): Promise<Buffer> {
  let made = coded.get(coding)
  if (made === undefined) {
    made = CODINGS[coding](body)
    coded.set(coding, made)
  }
  return made
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
}
