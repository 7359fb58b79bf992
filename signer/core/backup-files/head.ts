import { readFileSync } from "node:fs"
import type { VerifiedArchive } from "../backup/archive.ts"
import { BackupFault } from "../backup/fault.ts"
import { logKeyOf } from "../backup/manifest.ts"
import { UsageFault } from "../command-line.ts"
import { type Checkpoint, openCheckpoint } from "../log/checkpoint.ts"

/** A checkpoint that someone kept, of the log of the backup's deployment. @throws {UsageFault}, {BackupFault} BACKUP_FOREIGN */
export function readHead(path: string, { manifest, head }: VerifiedArchive): Checkpoint {
  const opened = openCheckpoint(read(path), logKeyOf(manifest, head.origin))
  if (opened !== undefined) return opened.checkpoint
  throw new BackupFault(
    "BACKUP_FOREIGN",
    `${path} is no checkpoint of the log ${head.origin}, which the backup has. ` +
      "Compare the first line of the file: it names deployment, lane and era",
  )
}

function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new UsageFault(`--head ${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
