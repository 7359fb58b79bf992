import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import {
  listFileOf,
  PLAIN_LOADER,
  RELEASE_FILE,
  RELEASE_FOLDER,
  writeFileList,
} from "../../signer/core/release/file-list.ts"
import { type LockFile, neededPackages } from "../generators/image-packages.ts"
import { type Commit, filesOfCommit } from "./commit.ts"
import { comparePaths, type Entry, type FileEntry, inOrder, isFile } from "./entry.ts"
import { type ShippedPackage, thirdPartyLicences } from "./licences.ts"
import { filesOfPackage } from "./packages.ts"
import { plainLoader, withoutTypes } from "./plain-code.ts"
import { EVERYTHING, isShipped, platformOf, type Zone, ZONES } from "./zones.ts"

/** Input of every archive of one release. */
export type Sources = {
  /** The checkout, with its packages. */
  root: string
  commit: Commit
  version: string
  lock: LockFile
  node: Buffer
}

/** The content of an archive, below its top folder. */
export type Content = { entries: readonly Entry[]; packages: readonly ShippedPackage[] }

/** Terms of everything that others wrote. */
const LICENCES = `${RELEASE_FOLDER}/third-party-licences.txt`

export function contentOf(zone: Zone, sources: Sources): Content {
  const packages = packagesOf(zone, sources)
  const program = programEntries(zone, sources, packages)
  const licences = text(LICENCES, thirdPartyLicences(sources.root, packages))
  const lists = [listOf(zone.name, program)]
  // The signer's part of everything has the same files, and so the same list and code digest, as the signer's own archive.
  if (zone === EVERYTHING) {
    const [signer = missing("signer")] = ZONES.filter(({ name }) => name === "signer")
    const own = listOf("signer", programEntries(signer, sources, packagesOf(signer, sources)))
    lists.splice(0, 1, own, listOf(zone.name, [...program, own]))
  }
  return { entries: inOrder([...program, licences, ...lists]), packages }
}

/** SHA-256 of the list of a zone in an archive. */
export function digestOfList(zone: string, { entries }: Content): string {
  const list = entries.find(({ path }) => path === listFileOf(zone))
  return list !== undefined && isFile(list) ? sha256(list.data) : missing(listFileOf(zone))
}

/** All that a zone's processes can load or start, and the release's name. */
function programEntries(zone: Zone, sources: Sources, packages: readonly ShippedPackage[]): Entry[] {
  const { root, commit, version, node } = sources
  const own = filesOfCommit(root, commit, zone.sources).filter(({ path }) => isShipped(path))
  const name = { name: "countersign", version, platform: platformOf(), commit: commit.id }
  return [
    ...own.map(withoutTypes),
    plainLoader(),
    ...zone.built.flatMap((folder) => builtFiles(root, folder)),
    ...packages.flatMap(({ files }) => files),
    ...Object.entries(zone.programs).map(([program, file]) => launcher(program, file)),
    { path: "bin/node", isExecutable: true, data: node },
    text(RELEASE_FILE, `${JSON.stringify(name)}\n`),
  ]
}

function packagesOf(zone: Zone, { root, lock }: Sources): ShippedPackage[] {
  return neededPackages(lock, zone.packages).flatMap((path) => {
    const locked = lock.packages[path] ?? missing(path)
    if (!existsSync(join(root, path))) return locked.optional === true ? [] : missing(path)
    return [{ path, locked, files: filesOfPackage(root, path) }]
  })
}

function builtFiles(root: string, folder: string): Entry[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path), isExecutable: false, data: readFileSync(path) }))
}

/** A program at the top of the archive: it runs with the archive's Node, from any folder, also by a symbolic link. */
function launcher(program: string, file: string): FileEntry {
  const lines = [
    "#!/bin/sh",
    `# Runs ${file} with the Node of this release.`,
    "set -eu",
    'here=$(dirname "$(readlink -f "$0")")',
    `exec "$here/bin/node" --disable-sigusr1 "--import=$here/${PLAIN_LOADER}" "$here/${file}" "$@"`,
    "",
  ]
  return { path: program, isExecutable: true, data: Buffer.from(lines.join("\n")) }
}

/** Symbolic links are not in it: each leads to a file that is. */
function listOf(zone: string, entries: readonly Entry[]): FileEntry {
  const files = entries
    .filter(isFile)
    .map(({ path, data }) => ({ path, sha256: sha256(data) }))
    .toSorted((one, other) => comparePaths(one.path, other.path))
  return text(listFileOf(zone), writeFileList(files))
}

const digests = new WeakMap<Buffer, string>()

/** Node is in each archive, and is hashed once. */
export function sha256(data: Buffer): string {
  const known = digests.get(data) ?? createHash("sha256").update(data).digest("hex")
  digests.set(data, known)
  return known
}

function text(path: string, content: string): FileEntry {
  return { path, isExecutable: false, data: Buffer.from(content) }
}

function missing(what: string): never {
  throw new Error(`${what} is not installed: run npm ci`)
}
