import { accessSync, constants, createReadStream } from "node:fs"
import { mkdir, open, readdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { UsageFault } from "../command-line.ts"
import { isPartName, type PartFile } from "../backup/tar.ts"
import { namingFullDisk, NOTHING_KEPT } from "./full-disk.ts"
import { syncFolder } from "./output.ts"

/** @throws {UsageFault} a file without which the process does not serve cannot be read */
export function requireSecret(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "?"
    throw new UsageFault(
      `${path}: the file cannot be read (${code}), so there is nothing to back up; run the command as the user of its process, with its settings`,
    )
  }
}

/** A file without which the process does not serve, under a name in the part. @throws {UsageFault} */
export function secretFile(name: string, path: string): Promise<PartFile> {
  requireSecret(path)
  return partFile(name, path)
}

/** A file of this host under a name in the part, as long as it is now: one that is appended to may grow meanwhile. */
export async function partFile(name: string, path: string): Promise<PartFile> {
  const { size } = await stat(path)
  return { name, size, content: size === 0 ? nothing() : createReadStream(path, { end: size - 1 }) }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A text under a name in the part. */
export const partText = (name: string, text: string): PartFile => partBytes(name, Buffer.from(text))

/** Bytes under a name in the part. */
export function partBytes(name: string, bytes: Uint8Array): PartFile {
  return { name, size: bytes.length, content: once(bytes) }
}

/** Settings of the command, which are those of the process: the same file has them. */
export function partSettings(environment: { readonly [name: string]: string | undefined }): PartFile {
  const names = Object.keys(environment).filter((name) => name.startsWith("COUNTERSIGN_"))
  const settings = Object.fromEntries(names.toSorted().map((name) => [name, environment[name]]))
  return partText("settings.json", JSON.stringify(settings, undefined, 2))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The regular files below a folder, with names that begin with `prefix`. A folder that is not there has none. */
export async function* partFolder(prefix: string, path: string): AsyncGenerator<PartFile> {
  const entries = await readdir(path, { withFileTypes: true }).catch(noneThere)
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* partFolder(name, join(path, entry.name))
    else if (entry.isFile() && isPartName(name)) yield await partFile(name, join(path, entry.name))
  }
}

function noneThere(error: NodeJS.ErrnoException): never[] {
  if (error.code === "ENOENT") return []
  throw error
}

/** Writes files below a folder, durable, of mode 0600. Their names were checked when the part was read. @throws {StartError} on a full disk */
export function writeFiles(files: AsyncIterable<PartFile>, folder: string): Promise<string[]> {
  return namingFullDisk(folder, NOTHING_KEPT, () => writeEach(files, folder))
}

async function writeEach(files: AsyncIterable<PartFile>, folder: string): Promise<string[]> {
  const names: string[] = []
  const folders = new Set<string>([folder])
  for await (const { name, content } of files) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, "wx", 0o600)
    try {
      for await (const bytes of content) await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    for (let at = dirname(path); at.startsWith(folder) && !folders.has(at); at = dirname(at)) folders.add(at)
    names.push(name)
  }
  for (const path of folders) await syncFolder(path)
  return names
}
