// Import cycles of the code, type-only imports included. Two files that import each other belong in one file, or share a third.
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

const FOLDERS = ["bench", "examples", "proto", "scripts", "services", "signer", "test"]

/** Static imports, dynamic imports and re-exports of files in this repository. */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+)"/g

/** Cycles of the repository below `root`, each as its files in order, joined by arrows. */
export function importCyclesIn(root: string): string[] {
  const files = globSync(
    FOLDERS.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  ).filter((file) => !file.startsWith("proto/gen/"))
  return importCycles(
    new Map(
      files.map((file) => {
        const imports = [...readFileSync(join(root, file), "utf8").matchAll(IMPORT)]
        return [file, imports.map(([, path = ""]) => normalize(join(dirname(file), path)))]
      }),
    ),
  )
}

/** Depth-first search: an import of a file that is still open closes a cycle. */
export function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const open: string[] = []
  const cycles: string[] = []
  const visit = (file: string): void => {
    if (done.has(file)) return
    const at = open.indexOf(file)
    if (at >= 0) {
      cycles.push([...open.slice(at), file].join(" -> "))
      return
    }
    open.push(file)
    for (const imported of imports.get(file) ?? []) visit(imported)
    open.pop()
    done.add(file)
  }
  for (const file of imports.keys()) visit(file)
  return cycles
}
