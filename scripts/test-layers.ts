// Layers of the tests, told from what a test file imports, also through other files. A file moves to another layer when its
// imports change; there is no list to keep.
import { readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { ROOT } from "./run.ts"

/**
 * All but `system` run in the test's process. `unit`: code without a signer. `signer`: signer or fetcher. `system`: other processes,
 * the database, or a browser.
 */
export const LAYERS = ["unit", "signer", "system"] as const
export type Layer = (typeof LAYERS)[number]

/** An import of one of these may start a process or connect to a database. vite bundles the dashboard. */
const OF_SYSTEM = new Set(["node:child_process", "postgres", "vite", "playwright-core"])
const OF_SIGNER = ["signer/enclave/", "signer/fetcher/"]

/** Static and dynamic imports and re-exports. Imports of types alone load nothing. */
const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\s(?!type\b)[^;'"`]*?\bfrom\s*"([^"]+)"|\bimport\s*\(?\s*"([^"]+)"/g

const importsOf = new Map<string, readonly string[]>()

/** The layer of a test file, whose path is relative to the top folder. */
export function layerOf(file: string): Layer {
  const loaded = loadedBy(file)
  if (loaded.some((name) => OF_SYSTEM.has(name))) return "system"
  return loaded.some((name) => OF_SIGNER.some((folder) => name.startsWith(folder))) ? "signer" : "unit"
}

/** Paths of all files that a file loads, itself among them, and names of the packages that those import. */
export function loadedBy(file: string): string[] {
  const found = new Set<string>()
  const open = [normalize(file)]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    for (const name of readImports(next)) if (!found.has(name)) open.push(name)
  }
  return [...found]
}

/** Paths are relative to the top folder. A package, or a file that is no code, imports nothing here. */
function readImports(path: string): readonly string[] {
  const known = importsOf.get(path)
  if (known !== undefined) return known
  const names = isCode(path)
    ? [...readFileSync(join(ROOT, path), "utf8").matchAll(IMPORT)].map(([, one, other]) => one ?? other ?? "")
    : []
  const imports = names.map((name) => (name.startsWith(".") ? normalize(join(dirname(path), name)) : name))
  importsOf.set(path, imports)
  return imports
}

function isCode(path: string): boolean {
  return (
    /\.(?:[cm]?[jt]s|tsx)$/.test(path) && !!statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile()
  )
}
