// The files that a process loads, by the imports in them.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { ROOT } from "./run.ts"

/** Imports and re-exports that are there at run time: the runtime drops those of types. */
const LOADED = /(?:^|\n)(?:import|export)\s(?!type\b)(?:[^"';]*?\bfrom\s*)?"(\.[^"]+)"/g

const MODULES = /^signer\/(?:enclave|core)\/modules\//

/**
 * Files of the signer that `entry` loads, sorted.
 * @param isLeftOut paths that are taken as absent, with what they alone load
 */
export function loadedFiles(entry: string, isLeftOut: (path: string) => boolean = () => false): string[] {
  const found = new Set<string>()
  const open = [entry]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || isLeftOut(path)) continue
    found.add(path)
    for (const [, specifier = ""] of readFileSync(join(ROOT, path), "utf8").matchAll(LOADED)) {
      const target = normalize(join(dirname(path), specifier))
      if (existsSync(join(ROOT, target)) && !target.startsWith("proto/gen/")) open.push(target)
    }
  }
  return [...found].filter((path) => path.startsWith("signer/")).toSorted()
}

/** The kernel: the files that the signer's process loads without its modules. */
export function kernelFiles(): string[] {
  return loadedFiles("signer/enclave/main.ts", (path) => MODULES.test(path))
}

/** Lines of files, comments and blank lines included. */
export function linesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + readFileSync(join(ROOT, path), "utf8").split("\n").length - 1, 0)
}
