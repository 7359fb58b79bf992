import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Context, Handler } from "../../common/context.ts"
import { unknownPath } from "../../common/dispatch.ts"
import type { GuideFile } from "../guides/guide-files.ts"
import { type Guides, openGuides } from "../guides/guides.ts"

/** Address of the guides. Their own links begin with it. */
const BASE = "/docs/"

/** A page loads its own files alone, runs no script that stands in it, and nobody frames it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** A picture has a style of its own. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Serves the guides: the pages of the navigation and their files, and nothing else. */
export function documentationSite(guides: Guides = openGuides()): {
  root: Handler
  page: Handler
  llms: Handler
} {
  const page: Handler = async (context) => {
    const path = context.path.replace(/(?:(?<=\/)index)?\.html$/, "")
    const text = await guides.page(path)
    if (text !== undefined && path !== context.path) context.redirect(path)
    else if (text !== undefined) sendText(context, text, "text/html; charset=utf-8")
    else if (path === `${BASE}search.json`) await sendIndex(context, await guides.searchIndex())
    else await sendFile(context, guides)
  }
  // The router takes `/docs` and `/docs/` for one path.
  const root: Handler = (context) => (context.path === BASE ? page(context) : context.redirect(BASE))
  const llms: Handler = async (context) => {
    const file = (await guides.files()).byAddress.get(`${BASE}llms.txt`)
    if (file !== undefined) send(context, file)
  }
  return { root, page, llms }
}

async function sendFile(context: Context, guides: Guides): Promise<void> {
  const file = (await guides.files()).byAddress.get(context.path)
  if (file !== undefined) {
    send(context, file)
    return
  }
  context.vary("Accept")
  if (context.accepts("json", "html") !== "html")
    throw unknownPath(context.path, "GET /docs/api lists what is served")
  sendText(context, await guides.missingPage(), "text/html; charset=utf-8", 404)
}

/** The index is a large text, which few readers ask for: it is compressed for each. */
async function sendIndex(context: Context, text: string): Promise<void> {
  context.vary("Accept-Encoding")
  if (context.acceptsEncodings("gzip", "identity") === "gzip") {
    context.set("Content-Encoding", "gzip")
    send(context, { body: await promisify(gzip)(text), type: "application/json", isHashed: false })
  } else sendText(context, text, "application/json")
}

function sendText(context: Context, text: string, type: string, status = 200): void {
  send(context, { body: Buffer.from(text), type, isHashed: false }, status)
}

function send(context: Context, { body, type, isHashed }: GuideFile, status = 200): void {
  context.status = status
  context.set("Content-Security-Policy", type === "image/svg+xml" ? PICTURE_POLICY : POLICY)
  context.set("X-Content-Type-Options", "nosniff")
  context.set("Referrer-Policy", "no-referrer")
  context.set("Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
  context.type = type
  context.body = body
}
