import { stripTypeScriptTypes } from "node:module"
import { PLAIN_LOADER } from "../../signer/core/release/file-list.ts"
import { type Entry, type FileEntry, isFile } from "./entry.ts"

/**
 * The same file without types: Node's own function puts spaces in their place, so that each line and column stays. Node takes them out at
 * each start otherwise, for a thousand files in each process. Other files stay as they are.
 */
export function withoutTypes(entry: Entry): Entry {
  if (!isFile(entry) || !entry.path.endsWith(".ts") || entry.path.endsWith(".d.ts")) return entry
  return { ...entry, data: Buffer.from(stripTypeScriptTypes(entry.data.toString("utf8"))) }
}

/** Loads files whose types are out as JavaScript. Without it Node reads them too, and looks for types first. */
const LOADER = `import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

const TOP = new URL("..", import.meta.url).href

registerHooks({
  load(url, context, next) {
    if (!url.startsWith(TOP) || !url.endsWith(".ts")) return next(url, context)
    return { format: "module", source: readFileSync(fileURLToPath(url)), shortCircuit: true }
  },
})
`

export function plainLoader(): FileEntry {
  return { path: PLAIN_LOADER, isExecutable: false, data: Buffer.from(LOADER) }
}
