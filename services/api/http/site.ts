import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuiltFile, readBuiltFiles } from "../../common/built-files.ts"
import type { Context, Handler } from "../../common/context.ts"
import { unknownPath } from "../../common/dispatch.ts"

/** The documentation site, if `npm run build:docs` has built it beside this code. */
const SITE = fileURLToPath(new URL("../../../site/dist", import.meta.url))

/** Address of the site. Its own links begin with it. */
const BASE = "/docs/"

type File = BuiltFile & { policy: string | undefined }

/**
 * Serves a build of the documentation: fixed files, read at the first request, and nothing else. Without a build `/docs`
 * leads to the reference.
 */
export function documentationSite(folder = SITE): { root: Handler; page: Handler } {
  let files: Promise<ReadonlyMap<string, File>> | undefined
  const isBuilt = existsSync(join(folder, "index.html"))
  const read = () => (files ??= readSite(folder))
  const page: Handler = async (context) => {
    if (!isBuilt) throw unknownPath(context.path, "GET /docs/api lists what is served")
    const site = await read()
    const path = context.path.slice(BASE.length - 1)
    const file = [path, `${path}.html`, `${path}index.html`].map((name) => site.get(name)).find(Boolean)
    const missing = site.get("/404.html")
    if (file !== undefined) send(context, file, 200)
    else if (missing !== undefined) send(context, missing, 404)
  }
  // The router takes `/docs` and `/docs/` for one path.
  const root: Handler = (context) =>
    isBuilt && context.path === BASE ? page(context) : context.redirect(isBuilt ? BASE : "/docs/api")
  return { root, page }
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

async function readSite(folder: string): Promise<ReadonlyMap<string, File>> {
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
