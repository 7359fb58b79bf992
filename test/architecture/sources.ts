import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Source } from "./import-faults.ts"

export const ROOT = join(import.meta.dirname, "..", "..")

/** All TypeScript below a folder of the repository, where there is one. */
export function sourcesIn(folder: string): Source[] {
  if (!existsSync(join(ROOT, folder))) return []
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT })
    .filter((path) => !path.includes("node_modules"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
}
