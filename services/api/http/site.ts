import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuiltFile, readBuiltFiles } from "../../common/built-files.ts"
import type { Context, Handler } from "../../common/context.ts"
import { unknownPath } from "../../common/dispatch.ts"
import { sendPage } from "../../common/pages/page.ts"
import { NO_SITE_PAGE } from "./no-site-page.ts"

/** The documentation site, once `npm run build:docs` has built it beside this code. */
const SITE = fileURLToPath(new URL("../../../site/dist", import.meta.url))

/** Address of the site. Its own links begin with it. */
const BASE = "/docs/"

type File = BuiltFile & { policy: string | undefined }
type Site = ReadonlyMap<string, File>

/**
 * Serves a build of the documentation: fixed files, and nothing else. A build that is made or replaced while this process
 * runs is served from the next request on. Without one a browser reads how to make it.
 */
export function documentationSite(folder = SITE): { root: Handler; page: Handler } {
  const site = siteIn(folder)
  const page: Handler = async (context) => {
    const files = await site()
    if (files === undefined) return answerWithoutSite(context)
    const path = context.path.slice(BASE.length - 1)
    const file = [path, `${path}.html`, `${path}index.html`].map((name) => files.get(name)).find(Boolean)
    const missing = files.get("/404.html")
    if (file !== undefined) send(context, file, 200)
    else if (missing !== undefined) send(context, missing, 404)
  }
  // The router takes `/docs` and `/docs/` for one path.
  const root: Handler = async (context) => {
    const files = await site()
    if (files === undefined) sendPage(context, NO_SITE_PAGE)
    else if (context.path === BASE) await page(context)
    else context.redirect(BASE)
  }
  return { root, page }
}

/** Reads the files of the newest build. A build is complete when its first page is there: the builder moves whole folders. */
function siteIn(folder: string): () => Promise<Site | undefined> {
  let read: { builtAtMs: number; files: Promise<Site> } | undefined
  return async () => {
    const first = await stat(join(folder, "index.html")).catch(() => undefined)
    if (first === undefined) return undefined
    if (read?.builtAtMs !== first.mtimeMs) read = { builtAtMs: first.mtimeMs, files: readSite(folder) }
    return read.files
  }
}

function answerWithoutSite(context: Context): void {
  context.vary("Accept")
  if (context.accepts("json", "html") !== "html")
    throw unknownPath(context.path, "GET /docs/api lists what is served")
  sendPage(context, NO_SITE_PAGE, 404)
}

function send(context: Context, { body, type, policy, isHashed }: File, status: number): void {
  context.status = status
  if (policy !== undefined) context.set("Content-Security-Policy", policy)
  context.set("X-Content-Type-Options", "nosniff")
  context.set("Referrer-Policy", "no-referrer")
  context.set("Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
  context.type = type
  context.body = body
}

async function readSite(folder: string): Promise<Site> {
  const files = [...(await readBuiltFiles(folder))].map(([path, file]): [string, File] => [
    path,
    { ...file, policy: file.type.startsWith("text/html") ? policyFor(file.body.toString()) : undefined },
  ])
  return new Map(files)
}

/**
 * The content security policy of a page: its own files, and its inline scripts by their digests. Style attributes colour the
 * code blocks.
 */
function policyFor(page: string): string {
  const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const digests = inline.map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${digests.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}
