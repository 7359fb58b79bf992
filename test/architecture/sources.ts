import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Source } from "./import-faults.ts"

export const ROOT = join(import.meta.dirname, "..", "..")

// Ignored by git: what was installed, and what the bench wrote.
const NO_SOURCES = ["node_modules/", "bench/out/", "services/dashboard/dist"]

/** All TypeScript, pages of the dashboard among it, below a folder of the repository, where there is one. */
export function sourcesIn(folder: string): Source[] {
  if (!existsSync(join(ROOT, folder))) return []
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })
    .filter((path) => !NO_SOURCES.some((folder) => path.includes(folder)))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
}
