import * as fs from "node:fs"
import { join } from "node:path"
import { UsageFault } from "../../core/command-line.ts"
import { type Sheet, sheetPage } from "./sheet.ts"

/** File systems that live in memory: what was removed there is on no disk (linux/magic.h). */
const MEMORY_FILE_SYSTEMS: readonly number[] = [0x0102_1994, 0x8584_58f6]

/** A folder in memory for the page of one sheet at a time, until its holder has printed it. */
export class SheetFolder {
  readonly #directory: string

  /** @throws {UsageFault} for a folder that is not there, or on a disk */
  constructor(directory: string) {
    if (!fs.existsSync(directory))
      throw new UsageFault(
        `--sheets: ${directory} does not exist: make it first, in memory, such as below /dev/shm, of mode 0700`,
      )
    if (!MEMORY_FILE_SYSTEMS.includes(fs.statfsSync(directory).type))
      throw new UsageFault(
        `--sheets: ${directory} is on a disk, which keeps what is removed; name a folder in memory, such as one below /dev/shm`,
      )
    this.#directory = directory
  }

  write(sheet: Sheet): string {
    const file = join(this.#directory, `share-${sheet.number}.html`)
    fs.rmSync(file, { force: true })
    fs.writeFileSync(file, sheetPage(sheet), { mode: 0o600, flag: "wx" })
    return file
  }

  remove(file: string): void {
    fs.rmSync(file, { force: true })
  }
}
