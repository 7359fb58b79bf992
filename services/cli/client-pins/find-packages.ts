import { readdir } from "node:fs/promises"
import { join } from "node:path"

const PACKAGE = join("@turnkey", "crypto")

/**
 * Folders of all copies of `@turnkey/crypto` that a project has installed, nested ones too, as npm, Yarn and pnpm lay them
 * out. Links in it are not followed: what they lead to is found where it lies, or belongs to another project.
 */
export async function findPackages(project: string): Promise<string[]> {
  const found: string[] = []
  await search(join(project, "node_modules"), found)
  return found.toSorted()
}

async function search(modules: string, found: string[]): Promise<void> {
  for (const name of await foldersIn(modules)) {
    if (name === ".pnpm") {
      const store = join(modules, name)
      for (const entry of await foldersIn(store)) await search(join(store, entry, "node_modules"), found)
    } else if (name.startsWith("@")) {
      const scope = join(modules, name)
      for (const entry of await foldersIn(scope)) await visit(join(scope, entry), found)
    } else await visit(join(modules, name), found)
  }
}

async function visit(folder: string, found: string[]): Promise<void> {
  if (folder.endsWith(join("node_modules", PACKAGE))) found.push(folder)
  await search(join(folder, "node_modules"), found)
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
