import type { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { type VerifiedArchive, verifyArchive } from "../backup/archive.ts"
import { BackupFault } from "../backup/fault.ts"
import { digestOfPins } from "../backup/manifest.ts"
import { partName } from "../backup/part.ts"
import { readHead } from "./head.ts"
import { archiveFile, pinsIn } from "./input.ts"

/** `pins`: the file to compare with. `head`: a file with a checkpoint of the log that someone kept. */
export type ArchiveCommand = {
  files: readonly string[]
  pins: string | undefined
  head: string | undefined
}

/**
 * Verifies the files of an archive; nothing is opened.
 * @param needs the only part that must be there
 * @throws {UsageFault} {BackupFault}
 */
export async function readArchive(
  { files, pins, head }: ArchiveCommand,
  needs?: BackupPartKind,
): Promise<VerifiedArchive> {
  const trusted = pins === undefined ? undefined : pinsIn(pins)
  const archive = await verifyArchive(files.map(archiveFile), { trusted, needs })
  if (head !== undefined) requireNewest(archive, head)
  return archive
}

/** @throws {BackupFault} BACKUP_OLDER, BACKUP_FOREIGN */
function requireNewest(archive: VerifiedArchive, path: string): void {
  const newest = readHead(path, archive)
  if (newest.size <= archive.head.size) return
  const { backupId, sequence } = archive.manifest
  const lost = newest.size - archive.head.size
  throw new BackupFault(
    "BACKUP_OLDER",
    `backup ${backupId} ends at transaction ${sequence}, and ${path} has ${lost} later leaves of the log. ` +
      "Use a newer backup; if there is none, run the command without --head: what is newer is lost",
  )
}

/** A verified archive in words. */
export function linesOf(
  { manifest, pins, head, parts }: VerifiedArchive,
  command: Pick<ArchiveCommand, "pins">,
): string[] {
  return [
    `deployment ${pins.deploymentId}, pins ${digestOfPins(pins)}${command.pins === undefined ? ", compared with none: --pins" : ", as given"}`,
    `the ledger at ${timeOf(manifest.madeAtMs)}, after ${manifest.sequence} transactions; the log has ${head.size} leaves`,
    `parts: ${[...parts.keys()].map(partName).join(", ")}`,
  ]
}

export function jsonOf({ manifest, pins, head, parts }: VerifiedArchive): object {
  return {
    backupId: manifest.backupId,
    deploymentId: pins.deploymentId,
    pinsDigest: digestOfPins(pins),
    madeAt: timeOf(manifest.madeAtMs),
    sequence: String(manifest.sequence),
    logSize: head.size,
    release: manifest.release,
    parts: [...parts.keys()].map(partName),
  }
}

/** A Unix time in milliseconds, as people read it. */
export const timeOf = (ms: bigint): string => new Date(Number(ms)).toISOString()
