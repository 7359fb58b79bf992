import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"

/** A file of a build of pages. `isHashed`: its name has a digest of its content, so browsers may keep it. */
export type BuiltFile = { body: Buffer; type: string; isHashed: boolean }

const TYPES: { readonly [extension: string]: string } = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
}

/** Files of a build by their path below the folder. Files of other types are left out. */
export async function readBuiltFiles(folder: string): Promise<Map<string, BuiltFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, BuiltFile>()
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join("/")}`
    files.set(path, { body: await readFile(file), type, isHashed: path.startsWith("/assets/") })
  }
  return files
}
