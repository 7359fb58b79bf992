import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import type { Entry } from "./entry.ts"

/**
 * Files of an installed package, without the packages inside it, which have entries of their own in the lock. Symbolic links are
 * left out: npm installs none, and those on disk depend on what ran before.
 */
export function filesOfPackage(root: string, path: string): Entry[] {
  return [...filesBelow(root, join(root, path)), ...linksOf(root, path)]
}

function filesBelow(root: string, folder: string): Entry[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesBelow(root, path)
    return entry.isFile() ? [fileAt(root, path)] : []
  })
}

/** The mode that counts is the owner's: the others follow the umask of the person who installed. */
function fileAt(root: string, path: string): Entry {
  return {
    path: relative(root, path),
    isExecutable: (statSync(path).mode & 0o100) !== 0,
    data: readFileSync(path),
  }
}

/** Links that a package of PostgreSQL lists for an install script; a started server makes them where they are missing. */
function linksOf(root: string, path: string): Entry[] {
  const list = join(root, path, "native", "pg-symlinks.json")
  if (statSync(list, { throwIfNoEntry: false }) === undefined) return []
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]
  return links.map(({ source, target }) => ({
    path: join(path, target),
    target: relative(join(target, ".."), source),
  }))
}
