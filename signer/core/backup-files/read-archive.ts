import type { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type VerifiedArchive, verifyArchive } from "../backup/archive.ts"
import { BackupFault } from "../backup/fault.ts"
import { digestOfPins, membersThatDiffer } from "../backup/manifest.ts"
import { partName } from "../backup/part.ts"
import { counted } from "../counted.ts"
import { readHead } from "./head.ts"
import { archiveFile, pinsIn } from "./input.ts"

/** `pins`: the file to compare with. `head`: a file with a checkpoint of the log that someone kept. */
export type ArchiveCommand = {
  files: readonly string[]
  pins: string | undefined
  head: string | undefined
}

/** `trusted`: the pins that it was compared with; undefined: none were given. */
export type ComparedArchive = VerifiedArchive & { readonly trusted: Pins | undefined }

/**
 * Verifies the files of an archive; nothing is opened.
 * @param needs the only part that must be there
 * @throws {UsageFault} {BackupFault}
 */
export async function readArchive(
  { files, pins, head }: ArchiveCommand,
  needs?: BackupPartKind,
): Promise<ComparedArchive> {
  const trusted = pins === undefined ? undefined : pinsIn(pins)
  const archive = await verifyArchive(files.map(archiveFile), { trusted, needs })
  if (head !== undefined) requireNewest(archive, head)
  return { ...archive, trusted }
}

/** @throws {BackupFault} BACKUP_OLDER, BACKUP_FOREIGN */
function requireNewest(archive: VerifiedArchive, path: string): void {
  const newest = readHead(path, archive)
  if (newest.size <= archive.head.size) return
  const { backupId, sequence } = archive.manifest
  const lost = newest.size - archive.head.size
  throw new BackupFault(
    "BACKUP_OLDER",
    `backup ${backupId} ends at transaction ${sequence}, and ${path} has ${counted(lost, "later leaf", "later leaves")} of the log. ` +
      "Use a newer backup; if there is none, run the command without --head: what is newer is lost",
  )
}

/** A verified archive in words. */
export function linesOf({ manifest, pins, trusted, head, parts }: ComparedArchive): string[] {
  return [
    `deployment ${pins.deploymentId}, pins ${digestOfPins(pins)}${comparisonOf(pins, trusted)}`,
    `the ledger at ${timeOf(manifest.madeAtMs)}, after ${counted(manifest.sequence, "transaction")}; the log has ${counted(head.size, "leaf", "leaves")}`,
    `parts: ${[...parts.keys()].map(partName).join(", ")}`,
  ]
}

/** Pairings change their keys, and `accept-ledger` the epoch: a backup of another time is still one of the deployment. */
function comparisonOf(pins: Pins, trusted: Pins | undefined): string {
  if (trusted === undefined) return ", compared with none: --pins"
  const others = membersThatDiffer(pins, trusted)
  if (others.length === 0) return ", as given"
  return `. The keys of its root seed are as given; ${others.join(", ")} changed between the pins and the backup`
}

export function jsonOf({ manifest, pins, trusted, head, parts }: ComparedArchive): object {
  return {
    backupId: manifest.backupId,
    deploymentId: pins.deploymentId,
    pinsDigest: digestOfPins(pins),
    ...(trusted && { pinsThatDiffer: membersThatDiffer(pins, trusted) }),
    madeAt: timeOf(manifest.madeAtMs),
    sequence: String(manifest.sequence),
    logSize: head.size,
    release: manifest.release,
    parts: [...parts.keys()].map(partName),
  }
}

/** A Unix time in milliseconds, as people read it. */
export const timeOf = (ms: bigint): string => new Date(Number(ms)).toISOString()
