import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { UsageFault } from "../command-line.ts"
import { isFullDisk, namingFullDisk, NOTHING_KEPT } from "./full-disk.ts"

/** Digest and size of what was written. */
export type WrittenPart = { readonly digest: Buffer; readonly size: number }

/** A file that gets its name once it is whole and durable. */
export class BackupFile {
  readonly path: string
  readonly #file: FileHandle

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  /** Writes a file of mode 0600 in whole, or leaves none. @throws {UsageFault} where the file is */
  static async write<T>(path: string, use: (output: BackupFile) => Promise<T>): Promise<T> {
    if (existsSync(path))
      throw new UsageFault(`${path} exists already. Nothing was changed; name another file`)
    return namingFullDisk(path, NOTHING_KEPT, () => BackupFile.#writeWhole(path, use))
  }

  static async #writeWhole<T>(path: string, use: (output: BackupFile) => Promise<T>): Promise<T> {
    const unfinished = `${path}.unfinished`
    const file = await BackupFile.#create(unfinished)
    try {
      const result = await use(new BackupFile(path, file))
      await file.sync()
      await file.close()
      await rename(unfinished, path)
      await syncFolder(dirname(path))
      return result
    } catch (error) {
      await file.close().catch(() => undefined)
      await rm(unfinished, { force: true })
      throw error
    }
  }

  /** @throws {UsageFault} where the folder is not there, or not this user's */
  static async #create(path: string): Promise<FileHandle> {
    try {
      await rm(path, { force: true })
      return await open(path, "wx", 0o600)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "?"
      if (isFullDisk(error)) throw error
      throw new UsageFault(
        `${path}: the file cannot be made (${code}); name a folder where this user may write`,
      )
    }
  }

  /** Appends bytes. */
  async append(bytes: AsyncIterable<Uint8Array>): Promise<WrittenPart> {
    const hash = createHash("sha256")
    let size = 0
    for await (const some of bytes) {
      hash.update(some)
      size += some.length
      await this.#file.writeFile(some)
    }
    return { digest: hash.digest(), size }
  }
}

/** Makes the names in a folder durable, or the bytes of a file. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r")
  await folder.sync()
  await folder.close()
}
