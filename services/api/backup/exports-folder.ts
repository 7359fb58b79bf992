import { existsSync, readdirSync } from "node:fs"
import { mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { BackupFault } from "../../../signer/core/backup/fault.ts"
import type { PartFile } from "../../../signer/core/backup/tar.ts"
import { writeFiles } from "../../../signer/core/backup-files/folder.ts"
import { syncFolder } from "../../../signer/core/backup-files/output.ts"
import { EXPORTS } from "./content.ts"

/** Holds the id of the backup that is restored. */
const ID_FILE = "backup-id"

/** The folder of exported activities while it is restored: beside its place until the database has its rows. */
export class RestoredExports {
  readonly #folder: string
  readonly #scratch: string

  constructor(folder: string) {
    this.#folder = folder
    this.#scratch = `${folder}.restoration-in-progress`
  }

  /** The backup whose restoration was stopped, if any. */
  async stoppedFor(): Promise<string | undefined> {
    return readFile(join(this.#scratch, ID_FILE), "utf8").catch(() => undefined)
  }

  /** @throws {BackupFault} BACKUP_TARGET_USED */
  requireUnused(): void {
    if (!existsSync(this.#folder) || readdirSync(this.#folder).length === 0) return
    throw new BackupFault(
      "BACKUP_TARGET_USED",
      `${this.#folder} has files already. Nothing was changed: name another folder with --exports, or move them aside`,
    )
  }

  /** Writes the files beside their place, durable. */
  async write(files: AsyncIterable<PartFile>, backupId: string): Promise<number> {
    await this.remove()
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 })
    const names = await writeFiles(files, this.#scratch)
    await mkdir(join(this.#scratch, EXPORTS), { recursive: true, mode: 0o700 })
    await writeFile(join(this.#scratch, ID_FILE), backupId, { mode: 0o600, flush: true })
    await syncFolder(this.#scratch)
    return names.length
  }

  /** Moves the files to their place. */
  async place(): Promise<void> {
    const written = join(this.#scratch, EXPORTS)
    if (existsSync(written)) {
      await rmdir(this.#folder).catch(() => undefined)
      await rename(written, this.#folder)
      await syncFolder(dirname(this.#folder))
    }
    await this.remove()
  }

  async remove(): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true })
  }
}
