import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { UsageFault } from "../command-line.ts"

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
    const unfinished = `${path}.unfinished`
    await rm(unfinished, { force: true })
    const file = await open(unfinished, "wx", 0o600)
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

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r")
  await folder.sync()
  await folder.close()
}
