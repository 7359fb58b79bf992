// Folders in which the processes of a host write their parts, each as its own user. The command is root's and their files are not: it
// follows no link of theirs, and takes bytes instead of files.
import { constants, existsSync } from "node:fs"
import { chmod, chown, lstat, mkdir, open, readdir, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { CHUNK_BYTES } from "../backup/part.ts"
import type { InstalledZone } from "./zone.ts"

/** Lies in a folder of root, so nobody else exchanges what it holds. */
export class PartFolders {
  readonly #path: string

  /** @param out the folder of the backups */
  constructor(out: string) {
    this.#path = join(out, "backup-in-progress")
  }

  /** Removes what an earlier command left, and makes the folder. Users of processes pass through it, and list nothing. */
  async begin(): Promise<void> {
    await this.end()
    await mkdir(this.#path, { mode: 0o711 })
    await chmod(this.#path, 0o711)
  }

  /**
   * A folder of the process, with copies of these files.
   * @returns its path
   */
  async give(zone: InstalledZone, files: readonly string[]): Promise<string> {
    const folder = join(this.#path, zone.name)
    await mkdir(folder, { mode: 0o700 })
    for (const [at, file] of files.entries()) {
      const target = await open(join(folder, `given-${at}`), "wx", 0o600)
      try {
        for await (const bytes of readOnly(file)) await target.writeFile(bytes)
        await target.chown(zone.uid, zone.gid)
      } finally {
        await target.close()
      }
    }
    await chown(folder, zone.uid, zone.gid)
    return folder
  }

  /** Removes the folder with the files of each process. @throws {Error} for anything else in it, which this command does not enter */
  async end(): Promise<void> {
    if (!existsSync(this.#path)) return
    for (const name of await readdir(this.#path)) {
      const folder = join(this.#path, name)
      // From here on its process adds nothing.
      await chown(folder, process.geteuid?.() ?? 0, process.getegid?.() ?? 0)
      for (const file of await readdir(folder)) {
        if ((await lstat(join(folder, file))).isDirectory())
          throw new Error(`${join(folder, file)} is a folder that no backup makes: look at it, and remove it`)
        await unlink(join(folder, file))
      }
      await rmdir(folder)
    }
    await rmdir(this.#path)
  }
}

/** The bytes of a regular file that has this name alone. @throws {Error} for a link */
export async function* readOnly(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile() || found.nlink !== 1) throw new Error(`${path} is no file of its own`)
    yield* file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })
  } finally {
    await file.close()
  }
}
