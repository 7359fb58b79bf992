import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { TOKENS_CSS } from "../../common/pages/tokens.ts"
import { BASE } from "./guide-pages.ts"
import type { Assets } from "./layout.ts"

/** A file that pages load, or that readers fetch. `isHashed`: its address has a digest of its content. */
export type GuideFile = { body: Buffer; type: string; isHashed: boolean }

export type GuideFiles = { assets: Assets; byAddress: ReadonlyMap<string, GuideFile> }

const BROWSER = fileURLToPath(new URL("browser/", import.meta.url))
const SCRIPT = "text/javascript; charset=utf-8"
const PICTURE = "image/svg+xml"

/** Files below the top of the installation, by their address. */
const FIXED: readonly (readonly [address: string, path: string, type: string])[] = [
  [`${BASE}/overview.svg`, "docs/overview.svg", PICTURE],
  [`${BASE}/overview-narrow.svg`, "docs/overview-narrow.svg", PICTURE],
  [`${BASE}/icon.svg`, "services/dashboard/public/icon.svg", PICTURE],
  [`${BASE}/llms.txt`, "docs/public/llms.txt", "text/plain; charset=utf-8"],
]

/** Style and scripts of the pages. All are below one digest, because scripts import each other by name. */
export async function guideFiles(root: string): Promise<GuideFiles> {
  const library = fileURLToPath(import.meta.resolve("minisearch"))
  const [css, theme, script, ranking, minisearch] = await Promise.all(
    [
      ...["guides.css", "theme.js", "guides.js", "ranking.js"].map((name) => join(BROWSER, name)),
      library,
    ].map(async (path) => readFile(path)),
  )
  const style = Buffer.from(`${TOKENS_CSS}\n${css?.toString()}`)
  const parts: readonly (readonly [string, Buffer | undefined, string])[] = [
    ["guides.css", style, "text/css; charset=utf-8"],
    ["theme.js", theme, SCRIPT],
    ["guides.js", script, SCRIPT],
    ["ranking.js", ranking, SCRIPT],
    ["minisearch.js", minisearch, SCRIPT],
  ]
  const digest = createHash("sha256")
  for (const [, body = Buffer.alloc(0)] of parts) digest.update(body)
  const folder = `${BASE}/assets/${digest.digest("hex").slice(0, 16)}`
  const byAddress = new Map<string, GuideFile>()
  for (const [name, body = Buffer.alloc(0), type] of parts)
    byAddress.set(`${folder}/${name}`, { body, type, isHashed: true })
  for (const [address, path, type] of FIXED)
    byAddress.set(address, { body: await readFile(join(root, path)), type, isHashed: false })
  const [assetStyle, assetTheme, assetScript] = ["guides.css", "theme.js", "guides.js"].map(
    (name) => `${folder}/${name}`,
  )
  return {
    assets: { style: assetStyle ?? "", theme: assetTheme ?? "", script: assetScript ?? "" },
    byAddress,
  }
}
